"""Bad input, one table: each ends in a sentence and the designed exit code, never in a trace."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands import PROGRAM, pipeline, process
from loopback import Loopback, Resource
from ragharness.support import resources

if TYPE_CHECKING:
    from commands import Done, Verb

SMALL = ("--questions", "few.jsonl", "--pipeline", "refuse", "--quiet")
SOURCES = {
    "mine.py": """
        def answer(question, passages): return "I could not find it."
        def wrong(question, one, two): return ""
        def joined(question, passages: str): return ""
        VALUE = 3
        """,
    "syntax.py": "def answer(q, passages:",
    "exits.py": "import sys; sys.exit(5)",
    "raises.py": "raise ValueError('at import')",
}


@pytest.fixture(autouse=True)
def few(tmp_path: Path) -> None:
    """Thirteen questions of the sample in the folder: quicker than building a set."""
    frozen = (resources.folder("questionsets", "sample") / "questions.jsonl").read_bytes()
    (tmp_path / "few.jsonl").write_bytes(b"".join(frozen.splitlines(keepends=True)[::10]))


def refused(done: Done, *sentences: str) -> None:
    """The command ended with 3, printed nothing as result, said what is wrong and what to do next."""
    assert (done.code, done.output) == (3, ""), done
    assert re.search(r"^error: \S", done.errors, re.MULTILINE), done.errors
    assert re.search(r"^help:  \S", done.errors, re.MULTILINE), done.errors
    assert "Traceback" not in done.errors
    for sentence in sentences:
        assert sentence in done.errors, done.errors


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder with pipelines that cannot be used."""
    for name, source in SOURCES.items():
        pipeline(tmp_path, source, name)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("text")
    return tmp_path


USAGE = [
    (["rn"], "Did you mean 'run', 'runs'?", "help:  ragharness --help"),
    (["corpus", "lst"], "Did you mean 'list'?", "help:  ragharness corpus --help"),
    (["corpus", "show", "sampel"], "did you mean sample?", "ragharness corpus list"),
    (["corpus", "show", "sample", "nothing"], "known: annual-01,", "and 34 more"),
    (["corpus", "fetch", "contractnli", "--from", "missing.zip"], "found no missing.zip"),
    (["corpus", "fetch", "contractnli", "--from", "file"], "expected a zip archive or a JSON file"),
    (["corpus", "fetch", "contractnli", "--from", "http://127.0.0.1:9/x.zip"], "cannot reach"),
    (["corpus", "fetch", "contractnli", "--from", "http://[::1"], "cannot reach http://[::1"),
    (["corpus", "fetch", "contractnli", "--offline"], "not to be used (offline)", "corpus fetch"),
    (["corpus", "check", "sample", "--passage-words", "0"], "at least 1 word"),
    (["run", "--k", "0"], "--k must be at least 1, not 0", "help:  ragharness run --help"),
    (["run", "--retriever", "bm26"], "did you mean bm25?", "help:  give your own as package.module:function"),
    (["run", "--timeout", "inf"], "seconds above 0, not inf", "help:  ragharness run --help"),
    (["run", "--timeout", "0"], "seconds above 0, not 0", "help:  ragharness run --help"),
    (["run", "--size", "0"], "--size must be at least 1"),
    (["run", "--size", "5"], "at least 13 questions, found --size 5"),
    (["run", "--size", "-1"], "--size must be at least 1"),
    (
        ["run", "--seed", "text"],
        "expected a whole number for --seed, found 'text'",
        "help:  ragharness run --help",
    ),
    (["run", "--corpus"], "requires an argument", "help:  ragharness run --help"),
    (["run", "--out", "file"], "expected a folder at file, found a file"),
    (["run", "--questions", "folder"], "expected a question file or the folder of a frozen set"),
    (["run", "--questions", "missing.jsonl"], "found no missing.jsonl that can be read"),
    (["run", "--pipeline", "nowhere:answer"], "expected a module 'nowhere'"),
    (["run", "--pipeline", "mine.py:answr"], "did you mean answer"),
    (["run", "--pipeline", "mine.py:VALUE"], "expected something callable"),
    (["run", "--pipeline", "mine.py:wrong"], "a required parameter 'one'"),
    (["run", "--pipeline", "mine.py:joined"], "it gets a list of passages"),
    (["run", "--pipeline", "syntax.py:answer"], "SyntaxError", "syntax.py"),
    (["run", "--pipeline", "exits.py:answer"], "importing exits.py failed: SystemExit: 5"),
    (["run", "--pipeline", "raises.py:answer"], "importing raises.py failed: ValueError: at import"),
    (["run", "--pipeline", "scripted:missing.json"], "missing.json"),
    (["report", "folder"], "expected a run folder at folder, found no run.json"),
    (["show"], "Missing argument", "help:  ragharness show --help"),
    (["grade", "--cases", "file"], "expected JSON in file"),
    (["grade", "--grader", "nothing", "--cases", "file"], "no grader is named 'nothing'"),
]


@pytest.mark.parametrize(
    ("arguments", "sentences"),
    [(case[0], case[1:]) for case in USAGE],
    ids=[" ".join(case[0]) for case in USAGE],
)
def test_a_mistake_says_what_and_what_next(
    home: Path, verb: Verb, arguments: list[str], sentences: tuple[str, ...]
) -> None:
    refused(verb(*arguments), *sentences)
    assert not (home / "runs").exists()


@pytest.mark.parametrize("group", [(), ("corpus",), ("questions",)])
def test_without_a_verb_there_is_plain_help(verb: Verb, group: tuple[str, ...]) -> None:
    done = verb(*group)
    assert (done.code, done.errors) == (0, "")
    assert done.output.startswith(f"Usage: {' '.join(('ragharness', *group))} [OPTIONS] COMMAND")
    assert done.output == verb(*group, "--help").output


# -- question files


def one(**changes: object) -> str:
    good: dict[str, object] = {
        "id": "a", "text": "What of it?", "stratum": "unanswerable", "kind": "text", "answerable": False,
    }  # fmt: skip
    return json.dumps(good | changes)


FILES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "found none"),
    "a table": (b"id,text\nq1,hello\n", "JSON Lines, UTF-8) in questions, found a file of another kind"),
    "an array": (f"[{one()}]".encode(), "found a JSON array\nhelp:  jq -c '.[]' questions > questions.jsonl"),
    "an array on lines": (f"[\n{one()}\n]".encode(), "found a JSON array"),
    "other letters": (one().encode("utf-16"), "found a file of another kind"),
    "a cut line": (f"{one()}\n{one(id='b')[:-9]}".encode(), "line 2: Input data was truncated"),
    "an id twice": (f"{one()}\n{one(text='Who?')}".encode(), "a: the same id stands in lines 1 and 2"),
    "an unknown kind": (one(kind="essay").encode(), "line 1: Invalid enum value 'essay' - at `$.kind`"),
    "an unknown row": (one(stratum="grounded").encode(), "expected a stratum and target of"),
    "another corpus": (one(document="nope").encode(), "expected a document of sample, found 'nope'"),
    "no words": (one(text="?").encode(), "a: expected a question with words, found '?'"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_questions_is_refused(verb: Verb, tmp_path: Path, name: str) -> None:
    content, sentence = FILES[name]
    (tmp_path / "questions").write_bytes(content)
    refused(verb("run", "--questions", "questions"), sentence)


def test_the_check_that_a_refusal_advises_lists_every_finding(verb: Verb, tmp_path: Path) -> None:
    lines = (one(), one(text="Who?"), one(id="b", text="?", document="nope", absence_patterns=["("]))
    (tmp_path / "my questions").write_text("\n".join(lines))
    advice = re.search(
        r"^help:  (.*) lists them$", verb("run", "--questions", "my questions").errors, re.MULTILINE
    )
    assert advice is not None
    assert advice[1] == "ragharness questions check --corpus sample --questions 'my questions'"
    done = verb("questions", "check", "--questions", "my questions")
    assert (done.code, done.errors) == (1, "")
    for finding in (
        "the same id stands in lines 1 and 2",
        "words, found '?'",
        "document of sample, found 'nope'",
    ):
        assert finding in done.output
    (tmp_path / "pattern").write_text(one(absence_patterns=["("], absence_scope="corpus"))
    assert (
        "expected regular expressions, found '('"
        in verb("questions", "check", "--questions", "pattern").output
    )


def test_marks_and_line_ends_of_other_editors_are_taken(verb: Verb, tmp_path: Path) -> None:
    (tmp_path / "fragen ä.jsonl").write_bytes(
        b"\xef\xbb\xbf" + f"{one()}\r\n{one(id='b', text='Who?')}".encode()
    )
    done = verb("run", "--questions", "fragen ä.jsonl", "--pipeline", "refuse")
    assert (done.code, "2 questions" in done.output) == (0, True), done.errors


# -- what is odd and goes all the same


@pytest.mark.parametrize(
    "options",
    [("--k", "99999999"), ("--concurrency", "100000"), ("--passage-words", "1"), ("--timeout", "1e300")],
)
def test_large_numbers_are_taken(verb: Verb, options: tuple[str, str]) -> None:
    done = verb("run", *SMALL, *options)
    assert (done.code, done.errors) == (0, "")


def test_odd_returns_are_graded_named_and_whole(verb: Verb, tmp_path: Path) -> None:
    spec = pipeline(
        tmp_path,
        """
        print("at import")

        def answer(question, passages):
            async def later():
                text = "I could \\ud800 not \\x1b[31mfind it."
                return {"text": text, "confidence": float("nan"), "citations": 3}
            return later()
        """,
        "mit leer ö.py",
    )
    done = verb("run", *SMALL, "--pipeline", spec, "--out", "a b", "--strict")
    assert done.code == 0, done.errors
    assert "\x1b" not in done.output
    assert "at import" in done.errors
    told = " ".join(done.output.split())
    for problem in ("U+FFFD q001", "U+001B q001", "found nan; it was left out q001"):
        assert problem in told
    assert max(map(len, done.output.splitlines())) <= 80


# -- screens, pipes, disks


@pytest.fixture
def finished(verb: Verb, tmp_path: Path) -> Path:
    """A folder with one small run ``r``."""
    assert verb("run", *SMALL, "--out", "r").code == 0
    return tmp_path


READERS = [
    ("report", "r"),
    ("show", "q001", "r"),
    ("corpus", "list"),
    ("corpus", "show", "sample"),
    ("corpus", "show", "sample", "nda-01"),
    ("questions", "show"),
    ("questions", "show", "q001"),
    ("questions", "check"),
]


@pytest.mark.parametrize("columns", ["20", "40", "60", "abc"])
def test_narrow_terminals_are_kept_where_names_allow(
    finished: Path, verb: Verb, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    for arguments in READERS:
        monkeypatch.setenv("COLUMNS", columns)
        done = verb(*arguments)
        assert done.errors == "", arguments
        widest = max(map(len, done.output.splitlines()))
        assert widest <= (60 if columns in {"20", "40", "60"} else 80), (arguments, widest)


def test_a_reader_that_leaves_is_no_error(finished: Path) -> None:
    program = f"{sys.executable} -c '{PROGRAM}'"
    commands = [" ".join(arguments) for arguments in READERS]
    # Nobody reads at all: the writer meets the broken pipe for certain.
    lines = [f"{program} {command} | true; echo ${{PIPESTATUS[0]}}" for command in commands[:4]]
    done = subprocess.run(
        ["bash", "-c", "\n".join(lines)], cwd=finished, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["0"] * len(lines)
    assert done.stderr == ""


DAMAGE: dict[str, tuple[str, Callable[[bytes], bytes], str]] = {
    "another version": ("run.json", lambda b: b.replace(b'"format": 1', b'"format": 99'), "found format 99"),
    "no version": ("run.json", lambda b: b.replace(b'"format"', b'"x"'), "missing required field `format`"),
    "half a head": ("run.json", lambda b: b[:50], "truncated"),
    "no questions": ("questions.jsonl", lambda b: b"", "expected 13 questions"),
    "half a question": ("questions.jsonl", lambda b: b[:-40], "expected 13 questions"),
    "another row": ("questions.jsonl", lambda b: b.replace(b'"grounded"', b'"adversarial"', 1), "of the row"),
    "a record that is none": ("records.jsonl", lambda b: b"x\n" + b, "remove that line"),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_run_is_refused_by_every_verb(finished: Path, verb: Verb, name: str) -> None:
    file, damage, sentence = DAMAGE[name]
    path = finished / "r" / file
    path.write_bytes(damage(path.read_bytes()))
    for arguments in (["report", "r"], ["show", "q001", "r"], ["grade", "r"], ["run", *SMALL, "--out", "r"]):
        refused(verb(*arguments), sentence)


def test_a_read_only_or_full_disk_is_a_sentence_for_root_too(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    program = f"{sys.executable} -c '{PROGRAM}'"
    script = f"""
        mount -t tmpfs -o size=64k none disk || exit 77
        {program} run --quiet --out disk/r; echo $?
        mount -o remount,ro disk
        cd disk
        {program} run --quiet; echo $?
        {program} questions passages -o x.jsonl; echo $?
        """
    done = subprocess.run(
        ["unshare", "--mount", "bash", "-c", script],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    if done.returncode in {77, 1} and not done.stdout:
        pytest.skip("no disk can be mounted here")
    assert done.stdout.split() == ["3", "3", "3"], done.stderr
    assert "No space left on device\nhelp:  free some space, then repeat the command" in done.stderr
    assert done.stderr.count("Read-only file system\nhelp:  name a") == 2
    assert "Traceback" not in done.stderr


# -- the network


def test_a_truncated_or_altered_download_is_refused(verb: Verb, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "good.zip", "w") as archive:
        archive.writestr("contract-nli/test.json", "{}" * 4000)
    whole = (tmp_path / "good.zip").read_bytes()
    with Loopback() as server:
        server["/altered.zip"] = Resource(whole)
        server["/half.zip"] = Resource(whole[: len(whole) // 2])
        for path, sentence in (("altered", "is not the published test.json"), ("half", "")):
            url = server.url(f"/{path}.zip").replace("http://", "http://me:pass@") + "?token=abc"
            done = verb("corpus", "fetch", "contractnli", "--from", url)
            refused(done, sentence)
            assert "abc" not in done.errors
            assert "pass@" not in done.errors


def test_a_corpus_that_is_cached_from_elsewhere_is_named_so(
    verb: Verb, contractnli_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RAGHARNESS_CONTRACTNLI_FROM", raising=False)
    source = str(contractnli_folder / "test.json")
    assert verb("corpus", "fetch", "contractnli", "--from", source).code == 0
    done = verb(
        "run", "--corpus", "contractnli", "--offline", "--from", "https://example.org/x.zip?token=abc"
    )
    refused(done, "the cache holds contractnli, but not from https://example.org/x.zip", "leave --from out")
    assert "abc" not in done.errors


def test_secrets_of_urls_are_not_written_with_the_run(verb: Verb, tmp_path: Path) -> None:
    url = "https://me:pass@example.org/x.zip?token=abc#part"
    assert verb("run", *SMALL, "--from", url, "--out", "r").code == 0
    assert verb("run", *SMALL, f"--from={url}", "--out", "s").code == 0
    for path in sorted(tmp_path.glob("[rs]/*.json*")):
        text = path.read_text()
        assert "pass" not in text.replace("passages", "").replace("passage", ""), path
        assert "abc" not in text or "token=abc" not in text, path
    assert "https://example.org/x.zip" in (tmp_path / "r" / "sessions.jsonl").read_text()


# -- time


def test_ctrl_c_and_two_at_once(tmp_path: Path) -> None:
    spec = pipeline(
        tmp_path,
        """
        import time

        def answer(question, passages):
            time.sleep(0.8)
            return "I could not find it."
        """,
    )
    arguments = ("run", *SMALL, "--pipeline", spec, "--concurrency", "2", "--out", "r")
    first = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "RAGHARNESS_CACHE": str(tmp_path / "cache")},
    )  # fmt: skip
    records = tmp_path / "r" / "records.jsonl"
    limit = time.monotonic() + 20
    while not (records.exists() and records.stat().st_size) and time.monotonic() < limit:
        time.sleep(0.05)
    second = process(tmp_path, *arguments)
    assert (second.returncode, second.stdout) == (3, "")
    assert f"process {first.pid} is writing there" in second.stderr
    first.send_signal(signal.SIGINT)
    output, errors = first.communicate(timeout=20)
    assert (first.returncode, output) == (130, "")
    assert re.search(r"interrupted: \d+ of 13 are answered and kept in r\nhelp:  ragharness run ", errors), (
        errors
    )
    before = records.read_text()
    last = process(tmp_path, *arguments)
    assert last.returncode == 0
    assert records.read_text().startswith(before)
    assert records.read_text().count("\n") == 13


@pytest.mark.slow
def test_threads_that_never_end_keep_nobody_waiting(tmp_path: Path) -> None:
    spec = pipeline(
        tmp_path,
        """
        import time
        from concurrent.futures import ThreadPoolExecutor

        POOL = ThreadPoolExecutor(8)

        def answer(question, passages):
            POOL.submit(time.sleep, 10**6)
            return "I could not find it."
        """,
    )
    done = subprocess.run(
        [sys.executable, "-m", "ragharness", "run", *SMALL, "--pipeline", spec, "--json"],
        cwd=tmp_path, capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["asked"] == 13


def test_a_set_that_wants_no_refusal_leaves_no_blanks(verb: Verb, tmp_path: Path) -> None:
    lines = [line for line in (tmp_path / "few.jsonl").read_text().splitlines() if '"correct"' in line]
    (tmp_path / "few.jsonl").write_text("\n".join(lines))
    done = verb("run", *SMALL, "--all")
    assert re.search(r"should refuse +0/0$", done.output, re.MULTILINE)
    assert [line for line in done.output.splitlines() if line != line.rstrip()] == []
