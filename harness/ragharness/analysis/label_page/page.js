"use strict";
// Texts of pipelines and documents are untrusted: they enter the page as textContent, never as markup.

const element = (id) => document.getElementById(id);
const BUCKETS = ["correct", "wrong", "unsupported", "refused"];
const AXES = {
  citation_supports: { values: [null, "yes", "no"], of: (bucket) => bucket !== "refused" },
  extra_claim_count: { values: [null, ...Array(100).keys()], of: (bucket) => bucket !== "refused" },
  refusal_quality: { values: [null, 0, 1, 2, 3], of: (bucket) => bucket === "refused" },
};
const KEYS = { s: "citation_supports", x: "extra_claim_count", q: "refusal_quality" };

let shown = null;
let chosen = blank();
let busy = false;

function blank() {
  return { bucket: null, citation_supports: null, extra_claim_count: null, refusal_quality: null };
}

function make(kind, text = "", name = "") {
  const made = document.createElement(kind);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function notice(text, mild = false) {
  const place = element("notice");
  place.textContent = text;
  place.classList.toggle("mild", mild);
  place.hidden = !text;
}

const place = () => shown && `${location.pathname} ${shown.question} ${shown.epoch}`;

function keep() {
  // What was not saved survives a reload, not the tab.
  if (shown) sessionStorage.setItem("draft", JSON.stringify({ place: place(), chosen, comment: element("comment").value }));
}

function kept() {
  try {
    const draft = JSON.parse(sessionStorage.getItem("draft"));
    return draft && draft.place === place() ? draft : null;
  } catch {
    return null;
  }
}

async function ask(path, sent) {
  const options = sent === undefined
    ? {}
    : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(sent) };
  let reply;
  try {
    reply = await fetch(path, options);
  } catch {
    notice("The program has stopped. What you see here is not saved; all earlier labels are on disk. "
      + "Start it again with the same command and open the address that it prints.");
    return false;
  }
  const found = await reply.json();
  if (reply.status === 409) {
    await ask("state");
    notice(`${found.error}. Nothing was overwritten; this is the next one.`, true);
    return true;
  }
  if (!reply.ok) {
    notice(`Not saved: ${found.error}.`);
    return false;
  }
  notice("");
  show(found);
  return true;
}

async function send(path, sent) {
  if (busy) return;
  busy = true;
  try {
    await ask(path, sent);
  } finally {
    busy = false;
  }
}

function save() {
  if (!shown || !chosen.bucket) return;
  const label = { bucket: chosen.bucket, comment: element("comment").value };
  for (const [name, axis] of Object.entries(AXES)) {
    if (axis.of(chosen.bucket) && chosen[name] !== null) label[name] = chosen[name];
  }
  send("label", { question: shown.question, epoch: shown.epoch, label });
}

const skip = () => shown && send("label", { question: shown.question, epoch: shown.epoch, label: null });
const undo = () => send("undo", {});

function choose(bucket) {
  if (chosen.bucket === bucket) {
    save();
    return;
  }
  chosen.bucket = bucket;
  keep();
  draw();
}

function step(name, back) {
  if (!AXES[name].of(chosen.bucket)) return;
  const values = AXES[name].values;
  const next = values.indexOf(chosen[name]) + (back ? -1 : 1);
  chosen[name] = values[(next + values.length) % values.length];
  keep();
  draw();
}

function draw() {
  for (const button of element("buckets").children) {
    button.setAttribute("aria-checked", String(button.dataset.bucket === chosen.bucket));
  }
  for (const button of element("axes").children) {
    const value = chosen[button.dataset.axis];
    const output = button.querySelector("output");
    button.hidden = !AXES[button.dataset.axis].of(chosen.bucket);
    output.textContent = value === null ? "not given" : String(value);
    output.classList.toggle("unset", value === null);
  }
  element("save").disabled = !chosen.bucket;
}

function pieces(parent, texts, given) {
  for (const piece of texts) {
    if (piece.gold) {
      parent.append(make("mark", piece.text));
    } else if (piece.cites) {
      const known = piece.cites.find((name) => given.has(name));
      const link = make("button", piece.text, known ? "cite" : "cite lost");
      link.type = "button";
      link.title = known ? "Show this passage" : "Not among the passages that the pipeline was given";
      if (known) link.addEventListener("click", () => find(known));
      parent.append(link);
    } else {
      parent.append(piece.text);
    }
  }
}

function find(name) {
  for (const card of document.querySelectorAll(".shown")) {
    const here = card.dataset.name === name && card.parentElement.id === "passages";
    card.classList.toggle("found", here);
    if (here) card.scrollIntoView({ block: "center" });
  }
}

function cards(id, texts, missing, tags) {
  const parent = element(id);
  parent.replaceChildren();
  for (const each of texts) {
    const card = make("div", "", "shown");
    const head = make("header");
    card.dataset.name = each.name;
    head.append(make("b", each.title || each.name));
    if (each.title) head.append(make("span", each.name));
    for (const [text, kind] of tags(each)) head.append(make("span", text, `tag ${kind}`));
    card.append(head);
    pieces(card, each.text, new Set());
    parent.append(card);
  }
  if (!texts.length) parent.append(make("p", missing, "none"));
}

function show(state) {
  const { progress, item, draft } = state;
  const skipped = progress.skipped ? `, ${progress.skipped} skipped` : "";
  element("who").textContent = state.annotator;
  element("count").textContent = `${progress.labelled} of ${progress.total}${skipped}`;
  element("bar").setAttribute("aria-valuemax", progress.total);
  element("bar").setAttribute("aria-valuenow", progress.labelled);
  element("filled").style.width = `${100 * progress.labelled / progress.total}%`;
  element("main").hidden = !item;
  element("done").hidden = Boolean(item);
  shown = item;
  chosen = blank();
  document.title = `${progress.labelled}/${progress.total} labelled`;
  if (!item) {
    element("summary").textContent = `${progress.labelled} of ${progress.total} answers by ${state.annotator}.`;
    return;
  }
  element("name").textContent = item.epoch ? `${item.question}, epoch ${item.epoch + 1}` : item.question;
  element("asked").textContent = item.asked;
  element("gold").textContent = item.gold;
  element("notes").replaceChildren(...item.notes.map((note) => make("li", note)));
  element("answer").replaceChildren();
  pieces(element("answer"), item.answer, new Set(item.passages.map((each) => each.name)));
  cards("evidence", item.evidence, "There is none in the documents.", (each) => [
    each.gold ? ["was among the passages", "cited"] : ["was not among the passages", "gold-tag"],
  ]);
  cards("passages", item.passages, "None were given.", (each) => [
    ...(each.cited ? [["cited", "cited"]] : []),
    ...(each.gold ? [["holds gold evidence", "gold-tag"]] : []),
  ]);
  said(state.said || []);
  const before = kept();
  const from = before ? before.chosen : draft;
  if (from) for (const name of Object.keys(chosen)) chosen[name] = from[name] ?? null;
  element("comment").value = before ? before.comment : (draft && draft.comment) || "";
  draw();
  // A key must not press the button of the answer before; screen readers begin here.
  element("asked").focus({ preventScroll: true });
  scrollTo(0, 0);
}

function said(others) {
  const parent = element("said");
  parent.hidden = !others.length;
  parent.replaceChildren();
  for (const each of others) {
    const line = make("p", `${each.by}: `);
    line.append(make("b", each.bucket, each.bucket), each.comment ? ` (${each.comment})` : "");
    parent.append(line);
  }
}

function pressed(event) {
  const writing = event.target === element("comment");
  if (element("keys").open) return;
  if (writing) {
    if (event.key === "Escape") element("comment").blur();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save();
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const key = event.key.toLowerCase();
  const bucket = BUCKETS[Number(key) - 1];
  const onButton = event.target instanceof HTMLButtonElement && (key === "enter" || key === " ");
  if (bucket) choose(bucket);
  else if (KEYS[key]) step(KEYS[key], event.shiftKey);
  else if (key === "enter" && !onButton) save();
  else if (key === "n") skip();
  else if (key === "z") undo();
  else if (key === "c") element("comment").focus();
  else if (key === "?") element("keys").showModal();
  else return;
  event.preventDefault();
}

document.addEventListener("keydown", pressed);
element("comment").addEventListener("input", keep);
element("buckets").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) choose(button.dataset.bucket);
});
element("axes").addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) step(button.dataset.axis, event.shiftKey);
});
element("save").addEventListener("click", save);
element("skip").addEventListener("click", skip);
element("undo").addEventListener("click", undo);
element("help").addEventListener("click", () => element("keys").showModal());
ask("state");
