"""``python docs/update.py`` writes the blocks from ``<!-- begin NAME -->`` to ``<!-- end NAME -->`` again."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ragharness import Baseline

ROOT = Path(__file__).resolve().parents[1]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(r"(<!-- begin (\w+) -->\n)(.*?)(<!-- end \2 -->)", re.DOTALL)
_VALUE = re.compile(r"(?<=\| `)([\w.]+)\.(\w+)` \|.*")
_VOLATILE = re.compile(r"\d{8}-\d{6}|(?<![\w.])\d+(?:\.\d+)?m?s\b|(?<=python )\d[\d.]*")


def printed(*arguments: str) -> str:
    """Return a command and what it prints in an empty folder with an empty cache, as a code block."""
    program = "import sys; sys.argv[0] = 'ragharness'; from ragharness.cli import main; main()"
    command = [sys.executable, "-c", program, *arguments]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("RAGHARNESS_")}
    with tempfile.TemporaryDirectory() as folder:
        variables = kept | {"RAGHARNESS_CACHE": f"{folder}/cache", "COLUMNS": "80"}
        done = subprocess.run(command, cwd=folder, env=variables, check=True, stdout=subprocess.PIPE)  # noqa: S603
    return "\n".join(
        ("```text", " ".join(("$ ragharness", *arguments)), done.stdout.decode().rstrip(), "```")
    )


def picture() -> str:
    """Return what ``ragharness run`` prints on a terminal as SVG; the fonts are the reader's own."""
    import pty
    from io import StringIO

    from rich.console import Console
    from rich.text import Text

    program = "import sys; sys.argv = ['ragharness', 'run']; from ragharness.cli import main; main()"
    ours, theirs = pty.openpty()
    with tempfile.TemporaryDirectory() as folder:
        variables = {**os.environ, "RAGHARNESS_CACHE": f"{folder}/cache", "COLUMNS": "80", "TERM": "xterm"}
        command = [sys.executable, "-c", program]
        none = subprocess.DEVNULL
        subprocess.run(command, cwd=folder, env=variables, stdout=theirs, stderr=none, check=True)  # noqa: S603
    drawn = os.read(ours, 1 << 20).decode()
    console = Console(record=True, width=80, file=StringIO())
    console.print(Text.from_ansi("\n".join(drawn.replace("\r", "").splitlines()[:_PICTURED])))
    svg = console.export_svg(title="ragharness run", unique_id="report")
    return re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL)


_PICTURED = 17
"""Lines of the report that the picture shows."""


def shipping() -> str:
    """Return two runs and the verdict of the gate on them, as a code block."""
    program = "import sys; sys.argv[0] = 'ragharness'; from ragharness.cli import main; main()"
    lines = ["```text"]
    with tempfile.TemporaryDirectory() as folder:
        variables = {**os.environ, "RAGHARNESS_CACHE": f"{folder}/cache", "COLUMNS": "80"}
        for told in ("run --passage-words 60 --out before", "run --out after", "gate before after"):
            command = [sys.executable, "-c", program, *told.split()]
            done = subprocess.run(command, cwd=folder, env=variables, check=False, capture_output=True)  # noqa: S603
            lines.append(f"$ ragharness {told}")
        lines += [done.stdout.decode().rstrip(), "$ echo $?", str(done.returncode), "```"]
    return "\n".join(lines)


def thresholds() -> str:
    """Return every figure that can have a threshold."""
    rows = ["| figure | is | better |", "|---|---|---|"]
    for name, each in import_module("ragharness.analysis.rules").figures().items():
        better = {True: "higher", False: "lower", None: "say `<=` or `>=`"}[each.higher_is_better]
        rows.append(_line([f"`{name}`", each.sentence, better]))
    return "\n".join(rows)


_RULES = 10
"""Rules that are shown of those that were tried, those that earn most."""


def verbs() -> str:
    """Return every command with its help and a table of its parameters."""
    from typer.main import get_command

    from ragharness.cli import build_app

    return "\n\n".join(_described("ragharness", get_command(build_app())))


def _described(name: str, command: Any) -> Iterator[str]:
    told = [f"## `{name}`", *(" ".join(part.split()) for part in command.help.split("\n\n"))]
    table = ["\n".join(("| | default | |", "|---|---|---|", *map(_row, command.params)))]
    yield "\n\n".join(told + (table if command.params else []))
    for part, below in sorted(getattr(command, "commands", {}).items()):
        yield from _described(f"{name} {part}", below)


def _row(each: Any) -> str:
    written, default = each.metavar or each.name.upper(), ""
    if each.param_type_name == "option":
        known = isinstance(each.default, (int, float, str)) and each.default
        value = each.metavar or ("N" if isinstance(each.default, (int, float)) else "TEXT")
        written = ", ".join(each.opts) + ("" if each.is_flag else f" {value}")
        default = f"`{each.default}`" if known and not each.is_flag else ""
    return "| `{}` | {} | {} |".format(written.replace("|", r"\|"), default, each.help.replace("<", "&lt;"))


def values(table: str) -> str:
    """Return a table of numbers of the code with their present values."""
    return _VALUE.sub(
        lambda found: f"{found[0].split('|')[0]}| {_number(found[1], found[2])} |", table
    ).rstrip()


def _number(module: str, name: str) -> Any:
    package = module if module.startswith("ragquestions") else f"ragharness.{module}"
    return getattr(import_module(package), name)


def formats() -> str:
    """Return every report format with its first sentence."""
    module = import_module("ragharness.reports.formats")
    rows = ["| `--format` | is |", "|---|---|"]
    for name in module.format_names():
        told = (import_module(f"{module.__name__}.{name}").__doc__ or "").split("\n")[0]
        rows.append(_line([f"`{name}`", told]))
    return "\n".join(rows)


def figures(part: Any) -> str:
    """Return what every metric of a part of the scores is, as it declares itself."""
    rows = ["| figure | JSON | definition | from, to | better | source |", "|---|---|---|---|---|---|"]
    for each in import_module("ragharness.analysis.metrics").metrics(part):
        least, most = each.range
        name = (each.short or each.label).format(top="in top k", at_k="@k")
        limits = f"{least}, {'any' if most is None else most}"
        better = "higher" if each.higher_is_better else "lower"
        rows.append(_line([name, f"`{each.name}`", each.sentence, limits, better, each.source]))
    return "\n".join(rows)


METRICS = ROOT / "docs" / "metrics"
"""A page for each metric that others published."""
_PASSES = {
    "question": "every answer has a value; the metric is their mean",
    "data set": "one pass over all graded answers; the JSON repeats the value in the row of each",
}


def others() -> str:
    """Return every metric that others published, with its page."""
    rows = ["| metric | is | granularity | better |", "|---|---|---|---|"]
    for name, each in _derived().items():
        better = "higher" if each.higher_is_better else "lower"
        rows.append(_line([f"[`{name}`](metrics/{name}.md)", each.sentence, each.granularity, better]))
    return "\n".join(rows)


def metric_pages() -> dict[str, str]:
    """Return the page of every metric that others published, as it declares itself, by its name."""
    return {f"{name}.md": _metric_page(each) for name, each in _derived().items()}


def _metric_page(each: Any) -> str:
    least, most = each.range
    limits = f"{least:g} to {'any' if most is None else f'{most:g}'}"
    rows = [
        ("formula", each.formula),
        ("source", each.source),
        ("granularity", f"{each.granularity}: {_PASSES[each.granularity]}"),
        ("range", f"{limits}, {'higher' if each.higher_is_better else 'lower'} is better"),
        *([("remark", each.remark)] if each.remark else []),
    ]
    table = "\n".join(["| | |", "|---|---|", *map(_line, rows)])
    read = f'rh.load_run().metrics("{each.name}")["{each.name}"].value'
    usage = [f"ragharness score --metrics {each.name}"]
    if each.from_texts:
        usage.append(f"{usage[0]} --trace outputs.json    # of another system")
    told = [
        f"# `{each.name}`: {each.label}",
        each.sentence,
        table,
        "\n".join(f"    {line}" for line in usage),
        "\n".join(("```python", "import ragharness as rh\n", read, "```")),
        "Settings, what is done about ungraded answers, and all other metrics: [metrics](../metrics.md).",
    ]
    text = "\n\n".join(told) + "\n"
    return re.sub(r"\]\((?=[\w-]+\.md)", "](../", text).replace("](#", "](../metrics.md#")


def _derived() -> dict[str, Any]:
    found: dict[str, Any] = import_module("ragharness.analysis.derived").derived()
    return found


def beside(name: str) -> Any:
    """Return a module of this folder."""
    from ragharness.support import resources

    return resources.load_module(ROOT / "docs" / f"{name}.py")


def comparison(name: str) -> str:
    """Return a table of the comparison with other tools."""
    tables = beside("comparison")
    told: str = tables.table(getattr(tables, name))
    return told


_COLUMNS = (
    "gold in top 5",
    "all gold in top 5",
    "right document",
    "gold if right doc",
    "MRR",
    "nDCG@5",
    "gold in top 10",
    "in top 5 of the right document",
)


def retrieval() -> str:
    """Return what ``benchmarks/retrieval.py`` measured last, as two tables."""
    found = json.loads((ROOT / "benchmarks" / "retrieval.json").read_text(encoding="utf-8"))
    n, paper = found["questions"], json.loads((ROOT / "benchmarks" / "contractnli.json").read_text("utf-8"))
    questions = [
        _line([f"of {n} questions", *_COLUMNS]),
        _line(["---"] * (1 + len(_COLUMNS))),
    ]
    task = [
        _line(["", "mAP", "P@R80"]),
        _line(["---"] * 3),
        _spans("Span TF-IDF + cosine as published", paper["published"]["span TF-IDF + cosine"]),
        _spans("the same here", paper["span TF-IDF + cosine"]),
    ]
    for name, figures in found["retrievers"].items():
        top, more = figures["k"]["5"], figures["k"]["10"]
        cells = [
            *(str(top[each]) for each in ("any_evidence", "all_evidence", "document")),
            f"{top['evidence_in_document']} of {top['document']}",
            f"{top['mrr']:.3f}",
            f"{top['ndcg']:.3f}",
            str(more["any_evidence"]),
            str(figures["document_only"]["5"]),
        ]
        questions.append(_line([f"`{name}`", *cells]))
        if "spans" in figures:
            task.append(_spans(f"`{name}`", figures["spans"]))
    return "\n".join([*questions, "", *task])


def folders_read() -> str:
    """Return the table of the questions on people's folders that readers answered before the gold."""
    path = ROOT / "benchmarks" / "folders_read.jsonl"
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines = [
        "| folder | read | answered as the gold | without a fault | in doubt |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for folder in dict.fromkeys(each["folder"] for each in read):
        own = [each for each in read if each["folder"] == folder]
        count = Counter(each["verdict"] for each in own)
        name = f"{folder} (rules made without it)" if own[0].get("unseen") else folder
        agreed = sum(each["agrees"] for each in own)
        lines.append(
            _line([name, *map(str, (len(own), agreed, len(own) - count["fault"], count["doubtful"]))])
        )
    return "\n".join(lines)


def untrained() -> str:
    """Return the untrained rows of ContractNLI's paper beside ours, from the benchmark's last result."""
    found = json.loads((ROOT / "benchmarks" / "contractnli.json").read_text(encoding="utf-8"))
    columns = {
        "accuracy": "accuracy",
        "f1_contradiction": "F1 contradiction",
        "f1_entailment": "F1 entailment",
        "map": "mAP",
        "precision_at_recall_80": "P@R80",
    }
    learned = {
        "train": "the {contracts} contracts of train",
        "train_part": "{contracts} contracts of train",
        "test": "the {contracts} of test itself",
    }
    published = found["published"]
    rows = {"Majority vote, as published": published["majority vote"]}
    for split, figures in found["majority vote"].items():
        rows[f"here, learned from {learned[split].format(**figures)}"] = figures
    rows["Span TF-IDF + cosine, as published"] = published["span TF-IDF + cosine"]
    rows["here"] = found["span TF-IDF + cosine"]
    table = [_line(["", *columns.values()]), _line(["---", *["---:"] * len(columns)])]
    for name, figures in rows.items():
        table.append(_line([name, *(f"{figures[key]:.3f}" if key in figures else "" for key in columns)]))
    return "\n".join(table)


def recall() -> str:
    """Return how often each retriever had gold among the best five, for each kind of question set."""
    found = json.loads((ROOT / "benchmarks" / "retrieval.json").read_text(encoding="utf-8"))["recall"]
    columns = list(dict.fromkeys(name for role in found.values() for name in role))
    rows = [_line(["set", "retriever", *columns]), _line(["---"] * (2 + len(columns)))]
    for role, sets in found.items():
        for name in dict.fromkeys(each for counts in sets.values() for each in counts if each != "questions"):
            cells = [
                f"{sets[each][name]} of {sets[each]['questions']}" if name in sets.get(each, {}) else ""
                for each in columns
            ]
            rows.append(_line([role, f"`{name}`", *cells]))
    return "\n".join(rows)


def reranking() -> str:
    """Return what a cross-encoder adds on each corpus, from the benchmark's last result."""
    from ragharness.analysis.intervals import wilson

    found = _reranked()
    titles = {"0": "`hybrid`", "1": "the model alone", str(found["made_with"]["weight"]): "`hybrid+rerank`"}
    head = ["", "", "gold first", "gold in top 5", "in top 10", "MRR", "gain in top 5, points", "gain in MRR"]
    rows = [_line([*head, "CPU a query"]), _line(["---"] * (len(head) + 1))]
    for name, each in found["sets"]["frozen"].items():
        n, seconds = each["questions"], each["cpu_seconds_a_query"]
        recall, mrr = each["gain"]["recall"], each["gain"]["mrr"]
        more = {
            "0": ["", "", f"{seconds['hybrid']:.2f} s"],
            str(found["made_with"]["weight"]): [
                f"{100 * recall[0]:+.0f} [{100 * recall[1]:+.0f} to {100 * recall[2]:+.0f}]",
                f"{mrr[0]:+.3f} [{mrr[1]:+.3f} to {mrr[2]:+.3f}]",
                f"{sum(seconds.values()):.2f} s",
            ],
        }
        for weight, title in titles.items():
            top, score = each["weights"][weight]["in_top"], each["weights"][weight]["mrr"]
            low, high = wilson(top["5"], n)
            counts = [
                str(top["1"]),
                f"{top['5']} of {n} [{100 * low:.0f}-{100 * high:.0f} %]",
                str(top["10"]),
            ]
            rows.append(_line([name, title, *counts, f"{score:.3f}", *more.get(weight, ["", "", ""])]))
    return "\n".join(rows)


def rerank_weights() -> str:
    """Return what each weight of the model's scores finds on the questions for choosing it."""
    sets = _reranked()["sets"]["choosing"]
    rows = [_line(["weight", *sets]), _line(["---", *["---"] * len(sets)])]
    for weight in next(iter(sets.values()))["weights"]:
        found = [(each["questions"], each["weights"][weight]) for each in sets.values()]
        cells = [f"{figures['in_top']['5']} of {n}, {figures['mrr']:.3f}" for n, figures in found]
        rows.append(_line([weight, *cells]))
    return "\n".join(rows)


def _reranked() -> Any:
    return json.loads((ROOT / "benchmarks" / "reranking.json").read_text(encoding="utf-8"))


def nearest() -> str:
    """Table of the last result of ``benchmarks/nearest.py``."""
    rows = json.loads((ROOT / "benchmarks" / "nearest.json").read_text(encoding="utf-8"))["rows"]
    table = ["| passages | built in | a query |", "|---|---|---|"]
    for row in rows:
        if row["index"] == "exact":
            times = [f"{row['build_seconds']:.1f} s", f"{row['query_milliseconds']:.2f} ms"]
            table.append(_line([f"{row['vectors']:,}", *times]))
    return "\n".join(table)


def engines() -> str:
    """Table of the last result of ``benchmarks/engines.py``."""
    rows = json.loads((ROOT / "benchmarks" / "engines.json").read_text(encoding="utf-8"))
    names = {"local": "`local`", "ray": "`ray`, its workers apart"}
    head = ["questions", *(f"CPU ms a question, {name}" for name in names.values())]
    table = [_line([*head, *(f"peak MB, {name}" for name in names.values())]), _line(["---:"] * 5)]
    for size in sorted({row["records"] for row in rows.values()}):
        found = [rows.get(f"noop {size} {engine}") for engine in names]
        cpu = [f"{1000 * row['cpu'] / size:.2f}" if row else "" for row in found]
        table.append(_line([f"{size:,}", *cpu, *(f"{row['peak_mb']:,.0f}" if row else "" for row in found)]))
    return "\n".join(table)


def large_index() -> str:
    """Return what ``benchmarks/large.py`` measured last of the word indexes, as a table."""
    found = json.loads((ROOT / "benchmarks" / "large.json").read_text(encoding="utf-8"))
    table = [
        "| index | passages | built in | memory at most | its file | hashed in | loaded in | a query |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in ("bm25", "fields"):
        built, loaded = found[f"{name} built"], found[f"{name} loaded"]
        cells = [f"`{name}`", f"{built['passages']:,}", f"{built['seconds']:.0f} s"]
        cells += [f"{built['megabytes'] / 1024:.1f} GB", f"{built['disk_megabytes']:.0f} MB"]
        cells += [
            f"{loaded['key_seconds']:.2f} s",
            f"{loaded['seconds']:.2f} s",
            f"{loaded['query_milliseconds']:.1f} ms",
        ]
        table.append(_line(cells))
    return "\n".join(table)


def large_folders() -> str:
    """Return what ``benchmarks/large.py`` measured last of folders, as a table."""
    found = json.loads((ROOT / "benchmarks" / "large.json").read_text(encoding="utf-8"))
    table = ["| questions | run | files | CPU | memory at most |", "|---|---|---|---|---|"]
    for name, each in found.items():
        what, _, state = name.partition(", ")
        if state:
            cells = [
                {"questions built": "built", "questions own": "your own"}[what],
                state,
                f"{each['files']:,}",
            ]
            table.append(_line([*cells, f"{each['seconds']:.1f} s", f"{each['megabytes'] / 1024:.1f} GB"]))
    return "\n".join(table)


def models() -> str:
    """Return what ``benchmarks/llm.py`` measured last, as a table."""
    found = json.loads((ROOT / "benchmarks" / "llm.json").read_text(encoding="utf-8"))["runs"]
    buckets = ("correct", "wrong", "unsupported", "refused")
    head = ["", "questions", *buckets, "not graded", "as desired", "yes or no to an open question"]
    head += ["tokens read", "written", "wall time"]
    rows = [_line(head), _line(["---"] * len(head))]
    for name, run in sorted(found.items()):
        counts = [str(run["questions"]), *(str(run["buckets"][bucket]) for bucket in buckets)]
        counts += [
            str(run[key]) if key in run else "" for key in ("ungraded", "as_wanted", "yes_or_no_to_open")
        ]
        tokens = [f"{run[kind]:,}" for kind in ("prompt_tokens", "completion_tokens")]
        time = f"{run['wall_seconds'] / 60:.1f} min{' (busy)' if run.get('busy') else ''}"
        rows.append(_line([name, *counts, *tokens, time]))
    return "\n".join(rows)


def baselines() -> str:
    """Return the published baselines, a table for each corpus."""
    from ragharness.analysis.baselines import load_baselines
    from ragharness.reports.measures import baseline_section
    from ragharness.reports.text import render

    found = load_baselines()
    parts = []
    for corpus in dict.fromkeys(each.settings.corpus for each in found):
        ours = [
            (each.id.removeprefix(f"{corpus}-"), each) for each in found if each.settings.corpus == corpus
        ]
        grader, told = ours[0][1].settings.grader, ours[0][1].scores.calibration
        table = render([baseline_section([(name, each.scores) for name, each in ours])], "markdown")
        parts.append(f"### {corpus}\n\nGrader `{grader}`, {told}.\n\n{table.strip()}")
    return "\n\n".join(parts)


def _published(**settings: str) -> list[Baseline]:
    """Return the baselines with these settings."""
    from ragharness import load_baselines

    return [
        each
        for each in load_baselines()
        if all(getattr(each.settings, name) == value for name, value in settings.items())
    ]


def _setting(each: Baseline) -> list[str]:
    """Return corpus, model or pipeline, and retriever with its depth."""
    kept = each.settings
    model = str(kept.pipeline_settings.get("model", kept.pipeline))
    return [kept.corpus, model, f"{kept.retriever}, k = {kept.k}"]


def _prompt(each: Baseline) -> str:
    return str(each.settings.pipeline_settings["prompt"]).partition(" ")[0]


def _licence(found: Sequence[Baseline]) -> list[str]:
    """Return the buckets of each model with and without leave to refuse, where both were run."""
    buckets = ("correct", "wrong", "unsupported", "refused")
    head = ["corpus", "model", "retrieval", "prompt", *buckets, "ungraded", "needless refusals"]
    lines = [_line(head), _line(["---"] * 4 + ["---:"] * 6)]
    pairs: dict[tuple[str, ...], dict[str, Baseline]] = {}
    for each in found:
        pairs.setdefault(tuple(_setting(each)), {})[_prompt(each)] = each
    for setting, prompts in sorted(pairs.items()):
        for prompt in sorted(prompts) if len(prompts) > 1 else ():
            scores = prompts[prompt].scores
            counts = [*(scores.buckets[each] for each in buckets), scores.ungraded]
            counts.append(scores.desired.needless_refusals)
            lines.append(_line([*setting, f"`{prompt}`", *map(str, counts)]))
    return lines


def _by_row(found: Sequence[Baseline]) -> list[str]:
    """Return how many answers of each row of the question set are as desired."""
    names = list(found[0].scores.rows)
    lines = [_line(["corpus", "model", "retrieval", "prompt", *names])]
    lines.append(_line(["---"] * 4 + ["---:"] * len(names)))
    for each in found:
        rows = (each.scores.rows[name].desired for name in names)
        shares = [f"{row.count} of {row.n}" for row in rows]
        lines.append(_line([*_setting(each), f"`{_prompt(each)}`", *shares]))
    return lines


def _without_passages(found: Sequence[Baseline]) -> list[str]:
    lines = [
        _line(["corpus", "pipeline", "prompt", "wrong", "unsupported", "refused", "ungraded"]),
        _line(["---"] * 3 + ["---:"] * 4),
    ]
    for each in found:
        scores, told = each.scores, _setting(each)
        counts = [*(scores.buckets[name] for name in ("wrong", "unsupported", "refused")), scores.ungraded]
        prompt = f"`{_prompt(each)}`" if each.settings.pipeline == "llm" else ""
        lines.append(_line([*told[:2], prompt, *map(str, counts)]))
    return lines


def _ceiling(found: Sequence[Baseline]) -> list[str]:
    """Return the questions whose evidence was retrieved beside those answered right."""
    head = ["corpus", "retriever", "k", "evidence retrieved", "correct", "refused though found"]
    lines = [_line(head), _line(["---"] * 2 + ["---:"] * 4)]
    ranked = sorted(found, key=lambda each: (each.settings.corpus, each.scores.retrieval.any_evidence.count))
    for each in ranked:
        scores, kept = each.scores, each.settings
        told = [kept.corpus, kept.retriever, str(kept.k)]
        hits = scores.retrieval.any_evidence
        counts = [f"{hits.count} of {hits.n}", str(scores.buckets["correct"])]
        lines.append(_line([*told, *counts, str(scores.failures.refused_though_found)]))
    return lines


def people() -> str:
    """Return what ``benchmarks/people.py`` measured last, a line for each grader, source and rate."""
    found = json.loads((ROOT / "benchmarks" / "people.json").read_text(encoding="utf-8"))
    rows = ["| grader | source | answers | | of | |", "|---|---|---|---|---|---|"]
    for grader, sources in found.items():
        for source, each in sources.items():
            rates = {**each, **each.get("said_supported", {})}
            for name, value in rates.items():
                if isinstance(value, list):
                    count, n, low, high = value
                    told = f"{100 * count / n:.1f} % [{100 * low:.0f}-{100 * high:.0f}]" if n else "n/a"
                    said = f'"{name}" called supported' if name in each.get("said_supported", {}) else name
                    cells = [f"`{grader}`", source, f"{each['n']:,}", said.replace("_", " "), f"{n:,}", told]
                    rows.append(_line(cells))
    return "\n".join(rows)


def own_answers() -> str:
    """Return what ``benchmarks/own_answers.py`` counted last: people's buckets against the grader's."""
    found = json.loads((ROOT / "benchmarks" / "own_answers.json").read_text(encoding="utf-8"))
    outcomes = list(next(iter(found["confusion"].values())))
    rows = [
        _line(
            [f"readers, of {found['answers']}", *(f"grader: {each.replace('_', ' ')}" for each in outcomes)]
        )
    ]
    rows.append(_line(["---"] * (1 + len(outcomes))))
    rows += [
        _line([name, *(str(each[one]) for one in outcomes)]) for name, each in found["confusion"].items()
    ]
    rates = [
        f"{name} {count} of {n} [{100 * low:.0f}-{100 * high:.0f} %]"
        for name, (count, n, low, high) in found["rates"].items()
    ]
    return "\n".join([*rows, "", f"{'; '.join(rates)}."])


def operating() -> str:
    """Return the operating points of the scorer."""
    from ragharness.graders.reading.texts import load_weights

    rows = [
        f"| {each.false_correct:.2%} | {each.correct_from:.3f} | {each.review:.1%} | {each.agreement:.1%} |"
        for each in load_weights().points
    ]
    head = "| false correct, at most | *correct* from | needs review | people agree with the rest |"
    return "\n".join((head, "|---|---|---|---|", *rows))


def grading() -> str:
    """Return what ``benchmarks/grading.py`` measured last, a table for each file of labels."""
    found = json.loads((ROOT / "benchmarks" / "grading.json").read_text(encoding="utf-8"))
    head = (
        "false correct",
        "false wrong",
        "review",
        "graded: right",
        "area",
        "its error at our share",
        "ours at its",
        "ours behind at most",
    )
    keys = ["false_correct", "false_wrong", "needs_review", "agreement_graded", "area"]
    keys += ["error_at_grader_coverage", "grader_error_at_its_coverage"]
    blocks = []
    for name, each in found["sets"].items():
        title = f"{name}, {each['answers']:,} answers to {each['questions']:,} questions"
        rows = [_line([title, *head]), _line(["---"] * (1 + len(head)))]
        for system, figures in each["systems"].items():
            cells = [_percent(figures[key], figures["intervals"].get(key)) for key in keys]
            most, share = figures["grader_behind_at_most"]
            cells.append(f"{100 * most:.1f} points, at {100 * share:.0f} %" if most > 0 else "nowhere")
            rows.append(
                _line([f"grader `{system}`" if system == found["grader"].split("@")[0] else system, *cells])
            )
        blocks.append("\n".join(rows))
    told = f"Grader `{found['grader']}`, the {found['part']} part of the questions."
    return "\n\n".join([told, *blocks, *_knocked_out(found.get("knock_outs"))])


def _percent(value: float | None, limits: Sequence[float | None] | None) -> str:
    if value is None:
        return "n/a"
    low, high = limits or (None, None)
    drawn = f" [{100 * low:.1f}-{100 * high:.1f}]" if low is not None and high is not None else ""
    return f"{100 * value:.1f} %{drawn}"


def _knocked_out(found: dict[str, Any] | None) -> list[str]:
    if not found:
        return []
    told = (
        f"{len(found['rules'])} rules answered with no in turn, on {found['answers']} answers and"
        f" {found['cases']} cases: {found['idle']} change nothing."
    )
    head = ["without", "outcomes changed", "better", "worse", "cases lost"]
    rows = [
        _line([f"`{each['rule']}`", *(str(each[key]) for key in ("changed", "better", "worse", "lost"))])
        for each in found["rules"][:_RULES]
    ]
    return [told, "\n".join([_line(head), _line(["---"] * len(head)), *rows])]


def _spans(name: str, figures: dict[str, float]) -> str:
    return _line([name, f"{figures['map']:.3f}", f"{figures['precision_at_recall_80']:.3f}"])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def recipe(name: str) -> str:
    """Return a file of docs/recipes as a code block."""
    return f"```python\n{(ROOT / 'docs' / 'recipes' / name).read_text(encoding='utf-8').rstrip()}\n```"


def judging() -> str:
    """Last result of ``benchmarks/injections.py``, as a sentence."""
    tried = json.loads((ROOT / "benchmarks" / "injections.json").read_text(encoding="utf-8"))
    low, high = (f"{100 * limit:.0f}" for limit in tried["interval"])
    return (
        f"`{tried['grader']}`: {tried['moved']} of {tried['tried']} injections tried (of {tried['table']})"
        f" changed what it read [{low}-{high} %], {tried['to_a_better_verdict']} of them to a better verdict."
    )


BLOCKS: dict[str, Callable[[str], str]] = {
    "axes": lambda _: figures("axes"),
    "measures": lambda _: figures("retrieval"),
    "others": lambda _: others(),
    "session": lambda _: printed("run"),
    "shipping": lambda _: shipping(),
    "formats": lambda _: formats(),
    "thresholds": lambda _: thresholds(),
    "corpora": lambda _: printed("corpus", "list"),
    "verbs": lambda _: verbs(),
    "values": values,
    "langchain_chain": lambda _: recipe("langchain_chain.py"),
    "langchain_retrieve": lambda _: recipe("langchain_retrieve.py"),
    "llamaindex_engine": lambda _: recipe("llamaindex_engine.py"),
    "written_by_you": lambda _: beside("formats").table(ours=False),
    "written_by_ragharness": lambda _: beside("formats").table(ours=True),
    "tools": lambda _: beside("comparison").tools(),
    "against_reference": lambda _: comparison("REFERENCE"),
    "against_passages": lambda _: comparison("SUPPORT"),
    "without_model": lambda _: comparison("ALONE"),
    "costs": lambda _: beside("comparison").costs(),
    "folders_read": lambda _: folders_read(),
    "untrained": lambda _: untrained(),
    "recall": lambda _: recall(),
    "retrieval": lambda _: retrieval(),
    "reranking": lambda _: reranking(),
    "rerank_weights": lambda _: rerank_weights(),
    "nearest": lambda _: nearest(),
    "engines": lambda _: engines(),
    "large_index": lambda _: large_index(),
    "large_folders": lambda _: large_folders(),
    "models": lambda _: models(),
    "grading": lambda _: grading(),
    "baselines": lambda _: baselines(),
    "licence": lambda _: "\n".join(_licence(_published(pipeline="llm"))),
    "rows": lambda _: "\n".join(_by_row(_published(pipeline="llm"))),
    "null": lambda _: "\n".join(_without_passages(_published(retriever="null"))),
    "ceiling": lambda _: "\n".join(_ceiling(_published(pipeline="extractive"))),
    "people": lambda _: people(),
    "own_answers": lambda _: own_answers(),
    "operating": lambda _: operating(),
    "judging": lambda _: judging(),
}


def blocks(page: Path) -> dict[str, str]:
    """Return the blocks of a page by name."""
    return {found[2]: found[3] for found in _BLOCK.finditer(page.read_text(encoding="utf-8"))}


def masked(text: str) -> str:
    """Return a block without times, versions and line breaks, which differ from run to run."""
    return " ".join(_VOLATILE.sub("_", text).split())


if __name__ == "__main__":
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        text = _BLOCK.sub(lambda found: f"{found[1]}{BLOCKS[found[2]](found[3])}\n{found[4]}", text)
        page.write_text(text, encoding="utf-8")
    METRICS.mkdir(exist_ok=True)
    for old in METRICS.glob("*.md"):
        old.unlink()
    for name, text in metric_pages().items():
        (METRICS / name).write_text(text, encoding="utf-8")
    beside("formats").write()
    (ROOT / "docs" / "report.svg").write_text(picture(), encoding="utf-8")
