"""A language model as generator: any service of OpenAI's chat completions, or of Anthropic's messages.

``llm`` or ``llm:MODEL``. Settings: ``model``, ``base-url``, ``api``, ``key-env``, ``prompt``,
``temperature``, ``seed``, ``max-tokens``, ``structured``, ``prices``, ``cache``; docs/llm.md says what each
does. Plain HTTP serves both APIs: the clients of their makers repeat failed requests by themselves, and hide
the bytes that are sent, which name an answer in the cache.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragharness.errors import UnusableReply, UsageError
from ragharness.pipelines import BuiltPipeline, Context
from ragharness.pipelines.llm_client import Completion, Endpoint, connect, local, prompting, services
from ragharness.pipelines.llm_client.prompting import DEFAULT, Prompt, load_prompt
from ragharness.pipelines.llm_client.services import ANSWER, Reply, parse_structured, too_long
from ragharness.records import Answer, Passage, Usage
from ragharness.support.options import Options


def build(context: Context, argument: str) -> BuiltPipeline:
    """The generator; raises UsageError for a setting that cannot be meant, or a key that is absent."""
    options = context.options
    model = _model(options, argument)
    prompt = load_prompt(options.text("prompt", DEFAULT))
    endpoint = connect(options, model, context.cache and context.cache / "llm", "the pipeline 'llm'")
    generator = Generator(endpoint, prompt)
    sampling = endpoint.sampling
    return BuiltPipeline(
        generator.answer,
        name=f"llm-{model}",
        settings={
            "model": endpoint.model,
            "api": endpoint.api,
            "base_url": str(endpoint.url),
            "prompt": f"{prompt.name} version {prompt.version}",
            "prompt_digest": prompt.digest,
            "temperature": "none" if sampling.temperature is None else sampling.temperature,
            "seed": "none" if sampling.seed is None else sampling.seed,
            "max_tokens": sampling.max_tokens,
            "structured": endpoint.structured,
        },
        # The code that makes requests and reads replies: other code, other answers to expect.
        source=b"\n".join(Path(str(module.__file__)).read_bytes() for module in (prompting, services)),
        recall=generator.recall,
        estimate=generator.estimate,
    )


@dataclass
class Generator:
    """Asks one model."""

    endpoint: Endpoint
    prompt: Prompt

    def recall(self, question: str, passages: Sequence[Passage]) -> Answer | None:
        """The answer that an earlier call gave to the very same request, or None."""
        completion = self.endpoint.recall(self._request(question, passages))
        return None if completion is None else _answer(completion)

    def estimate(self, question: str, passages: Sequence[Passage]) -> Usage:
        """The most that a call will use."""
        return self.endpoint.estimate(self._request(question, passages))

    async def answer(self, question: str, passages: Sequence[Passage]) -> Answer:
        """Ask the model.

        Raises TemporaryFailure for what another try may mend, AccessRefused for what no question can escape,
        and UnusableReply, with what was paid for, for an answer that must not be graded.
        """
        completion = await self.endpoint.ask(self._request(question, passages))
        answer = _answer(completion)
        if problem := self._problem(completion.reply, answer):
            raise problem
        if answer.text.strip():
            self.endpoint.store(completion)
        return answer

    def _request(self, question: str, passages: Sequence[Passage]) -> Callable[[bool], bytes]:
        def content(as_json: bool) -> bytes:
            instruction = self.prompt.instruction(as_json)
            messages = self.prompt.messages(question, passages, as_json)
            return self.endpoint.request(instruction, messages, ANSWER if as_json else None)

        return content

    def _problem(self, reply: Reply, answer: Answer) -> UnusableReply | None:
        """The exception for a reply that is not all the model had to say."""
        if reply.ended == "length":
            return UnusableReply(
                f"the answer was cut off after {self.endpoint.sampling.max_tokens} tokens",
                help="--pipeline-option max-tokens=N allows for more",
                answer=answer,
            )
        if reply.ended == "filtered":
            where = self.endpoint.client.where
            return UnusableReply(f"the content filter of {where} cut the answer off", answer=answer)
        if reply.ended == "context":
            return too_long(self.endpoint.model, "it ended where the context was full", answer)
        return None


def _answer(completion: Completion) -> Answer:
    text, citations = completion.reply.text, None
    if completion.as_json:
        text, citations = parse_structured(text)
    return Answer(text=text, citations=citations, usage=completion.usage)


def _model(options: Options, argument: str) -> str:
    model = options.text("model")
    if model and argument and model != argument:
        raise UsageError(f"two models are named: {argument!r} and {model!r}")
    if not (model or argument):
        raise UsageError(
            "the pipeline 'llm' needs the name of a model",
            help=f"ragharness run --pipeline llm {options.written('model')}NAME; {local(options.written)}",
        )
    return model or argument
