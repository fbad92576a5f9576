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
    """Command and what it prints in an empty folder with an empty cache, as a code block."""
    program = "import sys; sys.argv[0] = 'ragharness'; from ragharness.cli import main; main()"
    command = [sys.executable, "-c", program, *arguments]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RAGHARNESS_")}
    with tempfile.TemporaryDirectory() as folder:
        variables = environment | {"RAGHARNESS_CACHE": f"{folder}/cache", "COLUMNS": "80"}
        done = subprocess.run(command, cwd=folder, env=variables, check=True, stdout=subprocess.PIPE)  # noqa: S603
    return "\n".join(
        ("```text", " ".join(("$ ragharness", *arguments)), done.stdout.decode().rstrip(), "```")
    )


def picture() -> str:
    """What ``ragharness run`` prints on a terminal as SVG; the fonts are the reader's own."""
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
    """Two runs and the verdict of the gate on them, as a code block."""
    program = "import sys; sys.argv[0] = 'ragharness'; from ragharness.cli import main; main()"
    lines = ["```text"]
    with tempfile.TemporaryDirectory() as folder:
        variables = {**os.environ, "RAGHARNESS_CACHE": f"{folder}/cache", "COLUMNS": "80"}
        for line in ("run --passage-words 90 --out before", "run --out after", "gate before after"):
            command = [sys.executable, "-c", program, *line.split()]
            done = subprocess.run(command, cwd=folder, env=variables, check=False, capture_output=True)  # noqa: S603
            lines.append(f"$ ragharness {line}")
        lines += [done.stdout.decode().rstrip(), "$ echo $?", str(done.returncode), "```"]
    return "\n".join(lines)


def thresholds() -> str:
    """Every figure that can have a threshold."""
    rows = ["| figure | is | better |", "|---|---|---|"]
    for name, figure in import_module("ragharness.analysis.rules").figures().items():
        better = {True: "higher", False: "lower", None: "say `<=` or `>=`"}[figure.higher_is_better]
        rows.append(_line([f"`{name}`", figure.sentence, better]))
    return "\n".join(rows)


_RULES = 10
"""Rules that are shown of those that were tried, those that earn most."""


def verbs() -> str:
    """Every command with its help and a table of its parameters."""
    from typer.main import get_command

    from ragharness.cli import build_app

    return "\n\n".join(_described("ragharness", get_command(build_app())))


def _described(name: str, command: Any) -> Iterator[str]:
    paragraphs = [f"## `{name}`", *(" ".join(part.split()) for part in command.help.split("\n\n"))]
    table = ["\n".join(("| | default | |", "|---|---|---|", *map(_row, command.params)))]
    yield "\n\n".join(paragraphs + (table if command.params else []))
    for part, below in sorted(getattr(command, "commands", {}).items()):
        yield from _described(f"{name} {part}", below)


def _row(parameter: Any) -> str:
    written, default = parameter.metavar or parameter.name.upper(), ""
    if parameter.param_type_name == "option":
        has_default = isinstance(parameter.default, (int, float, str)) and parameter.default
        value = parameter.metavar or ("N" if isinstance(parameter.default, (int, float)) else "TEXT")
        written = ", ".join(parameter.opts) + ("" if parameter.is_flag else f" {value}")
        default = f"`{parameter.default}`" if has_default and not parameter.is_flag else ""
    text = parameter.help.replace("<", "&lt;")
    return "| `{}` | {} | {} |".format(written.replace("|", r"\|"), default, text)


def values(table: str) -> str:
    """Table of numbers of the code with their present values."""
    return _VALUE.sub(lambda row: f"{row[0].split('|')[0]}| {_number(row[1], row[2])} |", table).rstrip()


def _number(module: str, name: str) -> Any:
    package = module if module.startswith("ragquestions") else f"ragharness.{module}"
    return getattr(import_module(package), name)


def formats() -> str:
    """Every report format with its first sentence."""
    module = import_module("ragharness.reports.formats")
    rows = ["| `--format` | is |", "|---|---|"]
    for name in module.format_names():
        summary = (import_module(f"{module.__name__}.{name}").__doc__ or "").split("\n")[0]
        rows.append(_line([f"`{name}`", summary]))
    return "\n".join(rows)


def figures(part: Any) -> str:
    """What every metric of a part of the scores is, as it declares itself."""
    rows = ["| figure | JSON | definition | from, to | better | source |", "|---|---|---|---|---|---|"]
    for metric in import_module("ragharness.analysis.metrics").metrics(part):
        least, most = metric.range
        name = (metric.short or metric.label).format(top="in top k", at_k="@k")
        limits = f"{least}, {'any' if most is None else most}"
        better = "higher" if metric.higher_is_better else "lower"
        rows.append(_line([name, f"`{metric.name}`", metric.sentence, limits, better, metric.source]))
    return "\n".join(rows)


METRICS = ROOT / "docs" / "metrics"
"""A page for each metric that others published."""
_PASSES = {
    "question": "every answer has a value; the metric is their mean",
    "data set": "one pass over all graded answers; the JSON repeats the value in the row of each",
}


def others() -> str:
    """Every metric that others published, with its page."""
    rows = ["| metric | is | granularity | better |", "|---|---|---|---|"]
    for name, metric in _derived().items():
        better = "higher" if metric.higher_is_better else "lower"
        rows.append(_line([f"[`{name}`](metrics/{name}.md)", metric.sentence, metric.granularity, better]))
    return "\n".join(rows)


def metric_pages() -> dict[str, str]:
    """Page of every metric that others published, as it declares itself, by its name."""
    return {f"{name}.md": _metric_page(metric) for name, metric in _derived().items()}


def _metric_page(metric: Any) -> str:
    least, most = metric.range
    limits = f"{least:g} to {'any' if most is None else f'{most:g}'}"
    rows = [
        ("formula", metric.formula),
        ("source", metric.source),
        ("granularity", f"{metric.granularity}: {_PASSES[metric.granularity]}"),
        ("range", f"{limits}, {'higher' if metric.higher_is_better else 'lower'} is better"),
        *([("remark", metric.remark)] if metric.remark else []),
    ]
    table = "\n".join(["| | |", "|---|---|", *map(_line, rows)])
    read = f'rh.load_run().metrics("{metric.name}")["{metric.name}"].value'
    usage = [f"ragharness score --metrics {metric.name}"]
    if metric.from_texts:
        usage.append(f"{usage[0]} --trace outputs.json    # of another system")
    parts = [
        f"# `{metric.name}`: {metric.label}",
        metric.sentence,
        table,
        "\n".join(f"    {line}" for line in usage),
        "\n".join(("```python", "import ragharness as rh\n", read, "```")),
        "Settings, what is done about ungraded answers, and all other metrics: [metrics](../metrics.md).",
    ]
    text = "\n\n".join(parts) + "\n"
    return re.sub(r"\]\((?=[\w-]+\.md)", "](../", text).replace("](#", "](../metrics.md#")


def _derived() -> dict[str, Any]:
    metrics: dict[str, Any] = import_module("ragharness.analysis.derived").derived()
    return metrics


def beside(name: str) -> Any:
    """Module of this folder."""
    from ragharness.support import resources

    return resources.load_module(ROOT / "docs" / f"{name}.py")


def comparison(name: str) -> str:
    """Table of the comparison with other tools."""
    tables = beside("comparison")
    table: str = tables.table(getattr(tables, name))
    return table


def _result(name: str) -> Any:
    """Last result of a benchmark."""
    return json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))


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
    """What ``benchmarks/retrieval.py`` measured last, as two tables."""
    result = _result("retrieval")
    n, paper = result["questions"], _result("contractnli")
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
    for name, figures in result["retrievers"].items():
        top, more = figures["k"]["5"], figures["k"]["10"]
        cells = [
            *(str(top[measure]) for measure in ("any_evidence", "all_evidence", "document")),
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
    """Table of the questions on people's folders that readers answered before the gold."""
    path = ROOT / "benchmarks" / "folders_read.jsonl"
    read = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    lines = [
        "| folder | read | answered as the gold | without a fault | in doubt |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for folder in dict.fromkeys(row["folder"] for row in read):
        rows = [row for row in read if row["folder"] == folder]
        count = Counter(row["verdict"] for row in rows)
        name = f"{folder} (rules made without it)" if rows[0].get("unseen") else folder
        agreed = sum(row["agrees"] for row in rows)
        lines.append(
            _line([name, *map(str, (len(rows), agreed, len(rows) - count["fault"], count["doubtful"]))])
        )
    return "\n".join(lines)


def untrained() -> str:
    """Untrained rows of ContractNLI's paper beside ours, from the benchmark's last result."""
    result = _result("contractnli")
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
    published = result["published"]
    rows = {"Majority vote, as published": published["majority vote"]}
    for split, figures in result["majority vote"].items():
        rows[f"here, learned from {learned[split].format(**figures)}"] = figures
    rows["Span TF-IDF + cosine, as published"] = published["span TF-IDF + cosine"]
    rows["here"] = result["span TF-IDF + cosine"]
    table = [_line(["", *columns.values()]), _line(["---", *["---:"] * len(columns)])]
    for name, figures in rows.items():
        table.append(_line([name, *(f"{figures[key]:.3f}" if key in figures else "" for key in columns)]))
    return "\n".join(table)


def recall() -> str:
    """How often each retriever had gold among the best five, for each kind of question set."""
    result = _result("retrieval")["recall"]
    columns = list(dict.fromkeys(name for role in result.values() for name in role))
    rows = [_line(["set", "retriever", *columns]), _line(["---"] * (2 + len(columns)))]
    for role, sets in result.items():
        names = dict.fromkeys(name for counts in sets.values() for name in counts)
        for name in (name for name in names if name != "questions"):
            cells = [
                f"{sets[column][name]} of {sets[column]['questions']}" if name in sets.get(column, {}) else ""
                for column in columns
            ]
            rows.append(_line([role, f"`{name}`", *cells]))
    return "\n".join(rows)


def reranking() -> str:
    """What a cross-encoder adds on each corpus, from the benchmark's last result."""
    from ragharness.analysis.intervals import wilson

    result = _result("reranking")
    titles = {"0": "`hybrid`", "1": "the model alone", str(result["made_with"]["weight"]): "`hybrid+rerank`"}
    head = ["", "", "gold first", "gold in top 5", "in top 10", "MRR", "gain in top 5, points", "gain in MRR"]
    rows = [_line([*head, "CPU a query"]), _line(["---"] * (len(head) + 1))]
    for name, row in result["sets"]["frozen"].items():
        n, seconds = row["questions"], row["cpu_seconds_a_query"]
        recall, mrr = row["gain"]["recall"], row["gain"]["mrr"]
        more = {
            "0": ["", "", f"{seconds['hybrid']:.2f} s"],
            str(result["made_with"]["weight"]): [
                f"{100 * recall[0]:+.0f} [{100 * recall[1]:+.0f} to {100 * recall[2]:+.0f}]",
                f"{mrr[0]:+.3f} [{mrr[1]:+.3f} to {mrr[2]:+.3f}]",
                f"{sum(seconds.values()):.2f} s",
            ],
        }
        for weight, title in titles.items():
            top, score = row["weights"][weight]["in_top"], row["weights"][weight]["mrr"]
            low, high = wilson(top["5"], n)
            counts = [
                str(top["1"]),
                f"{top['5']} of {n} [{100 * low:.0f}-{100 * high:.0f} %]",
                str(top["10"]),
            ]
            rows.append(_line([name, title, *counts, f"{score:.3f}", *more.get(weight, ["", "", ""])]))
    return "\n".join(rows)


def rerank_weights() -> str:
    """What each weight of the model's scores finds on the questions for choosing it."""
    sets = _result("reranking")["sets"]["choosing"]
    rows = [_line(["weight", *sets]), _line(["---", *["---"] * len(sets)])]
    for weight in next(iter(sets.values()))["weights"]:
        counts = [(row["questions"], row["weights"][weight]) for row in sets.values()]
        cells = [f"{figures['in_top']['5']} of {n}, {figures['mrr']:.3f}" for n, figures in counts]
        rows.append(_line([weight, *cells]))
    return "\n".join(rows)


def nearest() -> str:
    """Table of the last result of ``benchmarks/nearest.py``."""
    rows = _result("nearest")["rows"]
    table = ["| passages | built in | a query |", "|---|---|---|"]
    for row in rows:
        if row["index"] == "exact":
            times = [f"{row['build_seconds']:.1f} s", f"{row['query_milliseconds']:.2f} ms"]
            table.append(_line([f"{row['vectors']:,}", *times]))
    return "\n".join(table)


def noisy_gate() -> str:
    """What ``benchmarks/noisy_gate.py`` drew last, as two tables: simulated pairs, and pairs of real runs."""
    result = _result("noisy_gate")
    tables = [_verdicts(result["cells"], f"of {result['pairs']} pairs")]
    if real := result.get("real"):
        tables.append(_verdicts(real["cells"], f"of {real['pairs']} pairs of real runs"))
    return "\n\n".join(tables)


def _verdicts(cells: Sequence[Any], of: str) -> str:
    rows = [
        _line([of, "should", "rejected", "shipped", "cannot be decided"]),
        _line(["---", "---", *["---:"] * 3]),
    ]
    for cell in cells:
        name = cell["name"] + (f", {cell['epochs']} epochs" if cell["epochs"] == 5 else "")
        pairs = sum(cell.get(verdict, 0) for verdict in ("reject", "ship", "incomplete"))
        shares = (100 * cell.get(verdict, 0) / pairs for verdict in ("reject", "ship", "incomplete"))
        rows.append(_line([name, cell["expected"], *(f"{share:g} %" for share in shares)]))
    return "\n".join(rows)


def engines() -> str:
    """Table of the last result of ``benchmarks/engines.py``."""
    rows = _result("engines")
    names = {"local": "`local`", "ray": "`ray`, its workers apart"}
    head = ["questions", *(f"CPU ms a question, {name}" for name in names.values())]
    table = [_line([*head, *(f"peak MB, {name}" for name in names.values())]), _line(["---:"] * 5)]
    for size in sorted({row["records"] for row in rows.values()}):
        pair = [rows.get(f"noop {size} {engine}") for engine in names]
        cpu = [f"{1000 * row['cpu'] / size:.2f}" if row else "" for row in pair]
        table.append(_line([f"{size:,}", *cpu, *(f"{row['peak_mb']:,.0f}" if row else "" for row in pair)]))
    return "\n".join(table)


def large_index() -> str:
    """What ``benchmarks/large.py`` measured last of the word indexes, as a table."""
    result = _result("large")
    table = [
        "| index | passages | built in | memory at most | its file | hashed in | loaded in | a query |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in ("bm25", "fields"):
        built, loaded = result[f"{name} built"], result[f"{name} loaded"]
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
    """What ``benchmarks/large.py`` measured last of folders, as a table."""
    result = _result("large")
    table = ["| questions | run | files | CPU | memory at most |", "|---|---|---|---|---|"]
    for name, row in result.items():
        what, _, state = name.partition(", ")
        if state:
            cells = [
                {"questions built": "built", "questions own": "your own"}[what],
                state,
                f"{row['files']:,}",
            ]
            table.append(_line([*cells, f"{row['seconds']:.1f} s", f"{row['megabytes'] / 1024:.1f} GB"]))
    return "\n".join(table)


def models() -> str:
    """What ``benchmarks/llm.py`` measured last, as a table."""
    runs = _result("llm")["runs"]
    buckets = ("correct", "wrong", "unsupported", "refused")
    head = ["", "questions", *buckets, "not graded", "as desired", "yes or no to an open question"]
    head += ["tokens read", "written", "wall time"]
    rows = [_line(head), _line(["---"] * len(head))]
    for name, run in sorted(runs.items()):
        counts = [str(run["questions"]), *(str(run["buckets"][bucket]) for bucket in buckets)]
        counts += [
            str(run[key]) if key in run else "" for key in ("ungraded", "as_wanted", "yes_or_no_to_open")
        ]
        tokens = [f"{run[kind]:,}" for kind in ("prompt_tokens", "completion_tokens")]
        time = f"{run['wall_seconds'] / 60:.1f} min{' (busy)' if run.get('busy') else ''}"
        rows.append(_line([name, *counts, *tokens, time]))
    return "\n".join(rows)


def baselines() -> str:
    """Published baselines, a table for each corpus."""
    from ragharness.analysis.baselines import load_baselines
    from ragharness.reports.measures import baseline_section
    from ragharness.reports.text import render

    published = load_baselines()
    parts = []
    for corpus in dict.fromkeys(baseline.settings.corpus for baseline in published):
        ours = [
            (baseline.id.removeprefix(f"{corpus}-"), baseline)
            for baseline in published
            if baseline.settings.corpus == corpus
        ]
        grader, calibration = ours[0][1].settings.grader, ours[0][1].scores.calibration
        table = render([baseline_section([(name, baseline.scores) for name, baseline in ours])], "markdown")
        parts.append(f"### {corpus}\n\nGrader `{grader}`, {calibration}.\n\n{table.strip()}")
    return "\n\n".join(parts)


def _published(**settings: str) -> list[Baseline]:
    """Baselines with these settings."""
    from ragharness import load_baselines

    return [
        baseline
        for baseline in load_baselines()
        if all(getattr(baseline.settings, name) == value for name, value in settings.items())
    ]


def _setting(baseline: Baseline) -> list[str]:
    """Corpus, model or pipeline, and retriever with its depth."""
    settings = baseline.settings
    model = str(settings.pipeline_settings.get("model", settings.pipeline))
    return [settings.corpus, model, f"{settings.retriever}, k = {settings.k}"]


def _prompt(baseline: Baseline) -> str:
    return str(baseline.settings.pipeline_settings["prompt"]).partition(" ")[0]


def _licence(baselines: Sequence[Baseline]) -> list[str]:
    """Buckets of each model with and without leave to refuse, where both were run."""
    buckets = ("correct", "wrong", "unsupported", "refused")
    head = ["corpus", "model", "retrieval", "prompt", *buckets, "ungraded", "needless refusals"]
    lines = [_line(head), _line(["---"] * 4 + ["---:"] * 6)]
    pairs: dict[tuple[str, ...], dict[str, Baseline]] = {}
    for baseline in baselines:
        pairs.setdefault(tuple(_setting(baseline)), {})[_prompt(baseline)] = baseline
    for setting, prompts in sorted(pairs.items()):
        for prompt in sorted(prompts) if len(prompts) > 1 else ():
            scores = prompts[prompt].scores
            counts = [*(scores.buckets[bucket] for bucket in buckets), scores.ungraded]
            counts.append(scores.desired.needless_refusals)
            lines.append(_line([*setting, f"`{prompt}`", *map(str, counts)]))
    return lines


def _by_row(baselines: Sequence[Baseline]) -> list[str]:
    """How many answers of each row of the question set are as desired."""
    names = list(baselines[0].scores.rows)
    lines = [_line(["corpus", "model", "retrieval", "prompt", *names])]
    lines.append(_line(["---"] * 4 + ["---:"] * len(names)))
    for baseline in baselines:
        rows = (baseline.scores.rows[name].desired for name in names)
        shares = [f"{row.count} of {row.n}" for row in rows]
        lines.append(_line([*_setting(baseline), f"`{_prompt(baseline)}`", *shares]))
    return lines


def _without_passages(baselines: Sequence[Baseline]) -> list[str]:
    lines = [
        _line(["corpus", "pipeline", "prompt", "wrong", "unsupported", "refused", "ungraded"]),
        _line(["---"] * 3 + ["---:"] * 4),
    ]
    for baseline in baselines:
        scores, setting = baseline.scores, _setting(baseline)
        counts = [*(scores.buckets[name] for name in ("wrong", "unsupported", "refused")), scores.ungraded]
        prompt = f"`{_prompt(baseline)}`" if baseline.settings.pipeline == "llm" else ""
        lines.append(_line([*setting[:2], prompt, *map(str, counts)]))
    return lines


def _ceiling(baselines: Sequence[Baseline]) -> list[str]:
    """Questions whose evidence was retrieved beside those answered right."""
    head = ["corpus", "retriever", "k", "evidence retrieved", "correct", "refused though found"]
    lines = [_line(head), _line(["---"] * 2 + ["---:"] * 4)]

    def rank(baseline: Baseline) -> tuple[str, int]:
        return baseline.settings.corpus, baseline.scores.retrieval.any_evidence.count

    for baseline in sorted(baselines, key=rank):
        scores, settings = baseline.scores, baseline.settings
        setting = [settings.corpus, settings.retriever, str(settings.k)]
        hits = scores.retrieval.any_evidence
        counts = [f"{hits.count} of {hits.n}", str(scores.buckets["correct"])]
        lines.append(_line([*setting, *counts, str(scores.failures.refused_though_found)]))
    return lines


def people() -> str:
    """What ``benchmarks/people.py`` measured last, a line for each grader, source and rate."""
    result = _result("people")
    rows = ["| grader | source | answers | | of | |", "|---|---|---|---|---|---|"]
    for grader, sources in result.items():
        for source, row in sources.items():
            rates = {**row, **row.get("said_supported", {})}
            for name, value in rates.items():
                if isinstance(value, list):
                    count, n, low, high = value
                    share = f"{100 * count / n:.1f} % [{100 * low:.0f}-{100 * high:.0f}]" if n else "n/a"
                    rate = f'"{name}" called supported' if name in row.get("said_supported", {}) else name
                    cells = [f"`{grader}`", source, f"{row['n']:,}", rate.replace("_", " "), f"{n:,}", share]
                    rows.append(_line(cells))
    return "\n".join(rows)


def own_answers() -> str:
    """What ``benchmarks/own_answers.py`` counted last: labels against the grader's buckets."""
    result = _result("own_answers")
    rows = []
    for part, measured in result["parts"].items():
        outcomes = list(next(iter(measured["confusion"].values())))
        head = [f"{part}: {measured['answers']} answers", *(name.replace("_", " ") for name in outcomes)]
        rows += ["", _line(head), _line(["---"] * len(head))]
        rows += [
            _line([name, *(str(row[outcome]) for outcome in outcomes)])
            for name, row in measured["confusion"].items()
        ]
    rows += ["", _line(["", *result["parts"]]), _line(["---"] * (1 + len(result["parts"])))]
    for name in next(iter(result["parts"].values()))["rates"]:
        cells = (measured["rates"][name] for measured in result["parts"].values())
        shares = [f"{count} of {n} [{100 * low:.0f}-{100 * high:.0f} %]" for count, n, low, high in cells]
        rows.append(_line([name.replace("_", " "), *shares]))
    agree, n, low, high = result["readers agree"]
    rows += ["", f"Two readers agree on {agree} of {n} buckets [{100 * low:.0f}-{100 * high:.0f} %]."]
    return "\n".join(rows[1:])


def wrong_slot() -> str:
    """How often ``benchmarks/wrong_slot.py`` last saw a right value said of something else called correct."""
    rows = ["| wordings | called *correct* | controls called *correct* |", "| --- | --- | --- |"]
    for family, rates in sorted(
        _result("wrong_slot")["families"].items(), key=lambda row: row[0].startswith("all")
    ):
        cells = [
            f"{count:,} of {n:,}, {100 * count / n:.1f} % [{100 * low:.1f}-{100 * high:.1f}]"
            for count, n, low, high in (rates["called correct"], rates["controls correct"])
        ]
        rows.append(_line([family, *cells]))
    return "\n".join(rows)


def operating() -> str:
    """Operating points of the scorer."""
    from ragharness.graders.reading.texts import load_weights

    rows = [
        f"| {point.false_correct:.2%} | {point.correct_from:.3f} |"
        f" {point.review:.1%} | {point.agreement:.1%} |"
        for point in load_weights().points
    ]
    head = "| false correct, at most | *correct* from | needs review | people agree with the rest |"
    return "\n".join((head, "|---|---|---|---|", *rows))


def grading() -> str:
    """What ``benchmarks/grading.py`` measured last, a table for each file of labels."""
    result = _result("grading")
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
    for name, row in result["sets"].items():
        title = f"{name}, {row['answers']:,} answers to {row['questions']:,} questions"
        rows = [_line([title, *head]), _line(["---"] * (1 + len(head)))]
        for system, figures in row["systems"].items():
            cells = [_percent(figures[key], figures["intervals"].get(key)) for key in keys]
            most, share = figures["grader_behind_at_most"]
            cells.append(f"{100 * most:.1f} points, at {100 * share:.0f} %" if most > 0 else "nowhere")
            rows.append(
                _line([f"grader `{system}`" if system == result["grader"].split("@")[0] else system, *cells])
            )
        blocks.append("\n".join(rows))
    heading = f"Grader `{result['grader']}`, the {result['part']} part of the questions."
    return "\n\n".join([heading, *blocks, *_knocked_out(result.get("knock_outs"))])


def _percent(value: float | None, limits: Sequence[float | None] | None) -> str:
    if value is None:
        return "n/a"
    low, high = limits or (None, None)
    drawn = f" [{100 * low:.1f}-{100 * high:.1f}]" if low is not None and high is not None else ""
    return f"{100 * value:.1f} %{drawn}"


def _knocked_out(trial: dict[str, Any] | None) -> list[str]:
    if not trial:
        return []
    summary = (
        f"{len(trial['rules'])} rules answered with no in turn, on {trial['answers']} answers and"
        f" {trial['cases']} cases: {trial['idle']} change nothing."
    )
    head = ["without", "outcomes changed", "better", "worse", "cases lost"]
    rows = [
        _line([f"`{rule['rule']}`", *(str(rule[key]) for key in ("changed", "better", "worse", "lost"))])
        for rule in trial["rules"][:_RULES]
    ]
    return [summary, "\n".join([_line(head), _line(["---"] * len(head)), *rows])]


def _spans(name: str, figures: dict[str, float]) -> str:
    return _line([name, f"{figures['map']:.3f}", f"{figures['precision_at_recall_80']:.3f}"])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def recipe(name: str) -> str:
    """File of docs/recipes as a code block."""
    return f"```python\n{(ROOT / 'docs' / 'recipes' / name).read_text(encoding='utf-8').rstrip()}\n```"


def judging() -> str:
    """Last result of ``benchmarks/injections.py``, as a sentence."""
    tried = _result("injections")
    low, high = (f"{100 * limit:.0f}" for limit in tried["interval"])
    return (
        f"`{tried['grader']}`: {tried['moved']} of {tried['tried']} injections tried (of {tried['table']})"
        f" changed what it read [{low}-{high} %], {tried['to_a_better_verdict']} of them to a better verdict."
    )


def confirm() -> str:
    """Last result of ``benchmarks/confirm.py`` at an agreement of 90 %, as a table."""
    heads = "answers", "chain", "calls per 130", "review", "other bucket", "false *correct*"
    lines = [f"| {' | '.join(heads)} | condemned: right | refusals |", "|---" * 8 + "|"]
    rates = ("review", "other_bucket", "false_correct", "right_condemned", "refusals_condemned")
    for name, measured in _result("confirm").items():
        for row in measured["rows"]:
            if row["agreement"] in (None, 0.9):
                shares = " | ".join(f"{100 * row[rate]:.1f} %" for rate in rates)
                about = f"{name.removesuffix('/answers').rpartition('/')[2]}, {measured['n']:,}"
                lines.append(f"| {about} | `{row['chain']}` | {row['calls']:.0f} | {shares} |")
    return "\n".join(lines)


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
    "noisy_gate": lambda _: noisy_gate(),
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
    "wrong_slot": lambda _: wrong_slot(),
    "operating": lambda _: operating(),
    "judging": lambda _: judging(),
    "confirm": lambda _: confirm(),
}


def blocks(page: Path) -> dict[str, str]:
    """Blocks of a page by name."""
    return {match[2]: match[3] for match in _BLOCK.finditer(page.read_text(encoding="utf-8"))}


def masked(text: str) -> str:
    """Block without times, versions and line breaks, which differ from run to run."""
    return " ".join(_VOLATILE.sub("_", text).split())


if __name__ == "__main__":
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        text = _BLOCK.sub(lambda match: f"{match[1]}{BLOCKS[match[2]](match[3])}\n{match[4]}", text)
        page.write_text(text, encoding="utf-8")
    METRICS.mkdir(exist_ok=True)
    for old in METRICS.glob("*.md"):
        old.unlink()
    for name, text in metric_pages().items():
        (METRICS / name).write_text(text, encoding="utf-8")
    beside("formats").write()
    (ROOT / "docs" / "report.svg").write_text(picture(), encoding="utf-8")
