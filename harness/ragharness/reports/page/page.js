"use strict";
// Foreign texts enter the page as text nodes alone: nothing here parses markup.
const data = JSON.parse(document.getElementById("data").textContent);
const BUCKETS = ["correct", "wrong", "unsupported", "refused"];
const LONG = 20000;
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;
const PRINTED = 1000;
const many = data.letters.length > 1;
const byId = name => document.getElementById(name);
const list = byId("list"), rows = byId("rows"), form = byId("filters"), dialog = byId("question");
const field = name => form.elements.namedItem(name);

/** Characters that would be unseen, or turn the direction of the text around, as their code points. */
const plain = text => String(text).replace(UNSEEN, each => "\u27e8U+" + each.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "\u27e9");

function make(tag, properties, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties || {})) {
    if (name === "on") for (const [event, action] of Object.entries(value)) made.addEventListener(event, action);
    else if (name === "class") made.className = value;
    else made.setAttribute(name, value);
  }
  for (const each of children.flat()) if (each !== null && each !== undefined && each !== "") made.append(typeof each === "string" ? plain(each) : each);
  return made;
}

const outcomeOf = record => record ? record.out : "not_asked";
const named = outcome => outcome.replaceAll("_", " ");
const grouped = outcome => BUCKETS.includes(outcome) ? outcome : "ungraded";
const items = data.records.map(([place, epoch, ...records]) => ({ place, epoch, question: data.questions[place], records, out: records.map(outcomeOf) }));
const met = (item, run) => item.out[run] === item.question.desired;
const RANK = { wrong: 0, unsupported: 1 };
const badness = item => Math.min(...item.out.map((out, run) => met(item, run) ? 9 : RANK[out] ?? 2));
if (many) {
  const order = new Map(Object.keys(data.flips).map((name, place) => [name, place]));
  items.sort((one, two) => (order.get(one.question.id) ?? Infinity) - (order.get(two.question.id) ?? Infinity) || one.place - two.place || one.epoch - two.epoch);
} else items.sort((one, two) => badness(one) - badness(two));

/* Filters */
let shown = items, chosen = 0, flow = null, run = null;
function count(values) {
  const counts = new Map();
  for (const several of items) for (const each of new Set(values(several))) counts.set(each, (counts.get(each) || 0) + 1);
  return counts;
}
function fill(name, every, counts, order) {
  const select = field(name);
  select.append(make("option", { value: "" }, every));
  const found = [...counts].sort(order || ((one, two) => two[1] - one[1] || (one[0] < two[0] ? -1 : 1)));
  for (const [value, number] of found) if (value) select.append(make("option", { value }, `${named(value).slice(0, 80)} (${number})`));
}
const WHICH = {
  missed: ["Misses", item => item.out.some((_, run) => !met(item, run))],
  met: ["As desired", item => item.out.every((_, run) => met(item, run))],
  ungraded: ["Ungraded", item => item.out.some(out => !BUCKETS.includes(out))],
  ...(many ? { flipped: ["Came out otherwise", item => item.question.id in data.flips], worse: ["Worse", item => data.flips[item.question.id] === 1], better: ["Better", item => data.flips[item.question.id] === 0] } : {}),
};
field("which").append(make("option", { value: "" }, `All (${items.length})`));
for (const [value, [told, holds]] of Object.entries(WHICH)) field("which").append(make("option", { value }, `${told} (${items.filter(holds).length})`));
fill("row", "All", count(item => [item.question.row]));
fill("outcome", "All", count(item => item.out.flatMap(out => BUCKETS.includes(out) ? [out] : ["ungraded", out])));
fill("reason", "All", count(item => item.records.map(record => record && record.reason)));
fill("document", "All", count(item => item.question.documents), (one, two) => one[0] < two[0] ? -1 : 1);

const wordsOf = item => item.words ??= [item.question.id, item.question.text, ...item.records.map(record => record && record.text ? record.text.slice(0, LONG) : "")].join("\n").toLowerCase();
function filter() {
  const value = name => field(name).value;
  const [text, which, row, outcome, reason, document] = ["text", "which", "row", "outcome", "reason", "document"].map(value);
  const sought = text.trim().toLowerCase(), place = run === null ? -1 : data.letters.indexOf(run);
  const came = out => out === outcome || (outcome === "ungraded" && !BUCKETS.includes(out));
  shown = items.filter(item =>
    (!which || WHICH[which][1](item)) && (!row || item.question.row === row) &&
    (!outcome || (place < 0 ? item.out.some(came) : came(item.out[place]))) &&
    (!reason || item.records.some(record => record && record.reason === reason)) &&
    (!document || item.question.documents.includes(document)) &&
    (!flow || (grouped(item.out[0]) === flow[0] && grouped(item.out[data.letters.indexOf(flow[2])]) === flow[1])) &&
    (!sought || wordsOf(item).includes(sought)));
  chosen = 0;
  list.scrollTop = 0;
  byId("count").textContent = `${shown.length.toLocaleString("en")} of ${items.length.toLocaleString("en")}` + (flow ? `: ${flow[0]} in A, ${flow[1]} in ${flow[2]}` : "") + (outcome && run ? `: ${named(outcome)} in ${run}` : "");
  draw();
}
function cleared() { for (const each of form.elements) if (each.name) each.value = ""; flow = null; run = null; }

/* The list: only the rows in sight are drawn. */
let height = 40, printing = false;
function badge(item, place) {
  const out = item.out[place];
  const kind = met(item, place) ? " met" : BUCKETS.includes(out) ? "" : " open";
  return make("span", { class: `badge ${grouped(out)}${kind}` }, (many ? `${data.letters[place]} ` : "") + named(out));
}
function line(place) {
  const item = shown[place], flip = data.flips[item.question.id];
  const made = make("div", { class: "row", role: "option", id: `row${place}`, "aria-selected": String(place === chosen), "aria-posinset": place + 1, "aria-setsize": shown.length },
    make("span", { class: "id" }, item.question.id + (data.epochs > 1 ? ` (${item.epoch + 1})` : "")),
    make("span", { class: "type" }, item.question.row),
    make("span", { class: `badges${many ? " two" : ""}${flip === undefined ? "" : flip ? " worse" : " better"}` }, item.out.map((_, run) => badge(item, run))),
    make("span", { class: "question" }, item.question.text.slice(0, 300)));
  made.style.top = `${place * height}px`;
  made.addEventListener("click", () => { chosen = place; open(); });
  return made;
}
function draw() {
  height = matchMedia("(max-width: 640px)").matches ? 66 : 40;
  list.style.height = printing ? "" : `min(68vh, ${Math.max(1, shown.length) * height + 2}px)`;
  rows.style.height = printing ? "" : `${shown.length * height}px`;
  const seen = Math.ceil((list.clientHeight || 600) / height);
  const first = printing ? 0 : Math.max(0, Math.floor(list.scrollTop / height) - 5);
  const last = Math.min(shown.length, printing ? PRINTED : first + seen + 11);
  rows.replaceChildren(...Array.from({ length: Math.max(0, last - first) }, (_, place) => line(first + place)));
  if (shown.length && chosen >= first && chosen < last) list.setAttribute("aria-activedescendant", `row${chosen}`);
  else list.removeAttribute("aria-activedescendant");
}
function move(by) {
  chosen = Math.max(0, Math.min(shown.length - 1, chosen + by));
  const top = chosen * height;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + height > list.scrollTop + list.clientHeight) list.scrollTop = top + height - list.clientHeight;
  draw();
}

/* One question */
const fields = told => make("dl", { class: "fields" }, told.flatMap(([label, text]) => [make("dt", {}, label), make("dd", {}, make("span", { class: "text" }, text))]));
/** Long texts are shown in part; a button adds the next one. */
function long(text, parts = each => [plain(each)]) {
  const made = make("div", { class: "text", dir: "auto" });
  let end = 0;
  const more = make("button", { type: "button", on: { click: () => add() } });
  function add() {
    more.remove();
    let next = Math.min(text.length, end + LONG * (end ? 25 : 1));
    if (next < text.length && /[\ud800-\udbff]/.test(text[next - 1])) next -= 1;
    made.append(...parts(text.slice(end, next)));
    end = next;
    if (end < text.length) { more.textContent = `Show more: ${(text.length - end).toLocaleString("en")} of ${text.length.toLocaleString("en")} characters are left`; made.append(more); }
  }
  add();
  return made;
}
function cite(name, record, mark, letter) {
  const place = (record.had || []).findIndex(hit => hit[0] === name), target = `passage-${letter}-${place + 1}`;
  if (place < 0) return make("span", { class: "cite missing", title: "cited, but not retrieved" }, mark);
  return make("a", { href: `#${target}`, class: "cite", on: { click: event => {
    event.preventDefault();
    for (const each of dialog.querySelectorAll(".shown")) each.classList.remove("shown");
    const passage = byId(target);
    passage.open = true;
    passage.classList.add("shown");
    passage.scrollIntoView({ block: "center" });
  } } }, mark);
}
function linked(record, letter) {
  const had = (record.had || []).map(hit => hit[0]), cited = new Set([...had, ...(record.cited || [])]);
  const meant = mark => cited.has(mark) ? mark : record.positional && /^\d{1,3}$/.test(mark) ? had[mark - 1] : undefined;
  return text => text.split(/(\[[^[\]\n]{1,200}\])/).flatMap(part => {
    if (!part.startsWith("[")) return [plain(part)];
    const inner = part.slice(1, -1);
    const pieces = meant(inner.trim()) ? [inner] : inner.split(/([,;]\s*)/);
    return ["[", ...pieces.map(piece => { const name = meant(piece.trim()); return name ? cite(name, record, piece, letter) : plain(piece); }), "]"];
  });
}
function marked(passage, evidence) {
  const [document, , start, text] = passage, spans = [];
  for (const [home, first, last, , , gold] of evidence) {
    if (home === document) spans.push([Math.max(0, first - start), Math.min(text.length, last - start)]);
    else if (!document && gold && text.includes(gold)) spans.push([text.indexOf(gold), text.indexOf(gold) + gold.length]);
  }
  const parts = [];
  let end = 0;
  for (const [first, last] of spans.filter(([first, last]) => first < last).sort((one, two) => one[0] - two[0])) {
    if (last <= end) continue;
    const from = Math.max(first, end);
    parts.push(plain(text.slice(end, from)), make("mark", {}, text.slice(from, last)));
    end = last;
  }
  return text.length > LONG ? long(text) : make("div", { class: "text", dir: "auto" }, [...parts, plain(text.slice(end))]);
}
function retrieved(record, question, letter, others) {
  if (!(record.had || []).length) return [make("p", { class: "quiet" }, "nothing")];
  const cited = new Set(record.cited || []);
  return record.had.map(([name, score, gold], place) => {
    const passage = (record.own || {})[name] || data.passages[name];
    const title = passage && passage[1] ? passage[1] : "";
    const made = make("details", { class: "passage", id: `passage-${letter}-${place + 1}` }, make("summary", {}, make("span", { class: "quiet" }, `${place + 1}`), make("b", {}, name),
      gold ? make("span", { class: "tag gold" }, "GOLD") : null, cited.has(name) ? make("span", { class: "tag cited" }, "CITED") : null,
      others && !others.has(name) ? make("span", { class: "tag" }, `ONLY ${letter}`) : null,
      score ? make("span", { class: "quiet" }, `score ${score.toFixed(3)}`) : null, title ? make("span", { class: "quiet title" }, title) : null));
    if (passage) made.append(marked(passage, question.evidence));
    made.open = Boolean(passage) && (gold || cited.has(name));
    return made;
  });
}
function side(item, place) {
  const record = item.records[place], letter = data.letters[place];
  if (!record) return make("div", {}, make("h3", {}, `${many ? letter + ": " : ""}Answer`), make("p", { class: "quiet" }, "none yet: not asked, or still running"));
  const rest = item.records.filter((_, run) => run !== place);
  const others = many ? new Set(rest.flatMap(each => each ? (each.had || []).map(hit => hit[0]) : [])) : null;
  const answer = !record.answered ? [] : [make("div", { class: "answer" }, record.text ? long(record.text, linked(record, letter)) : "(empty)")];
  return make("div", {},
    make("h3", {}, many ? `${letter}: answer` : "Answer"),
    record.failure ? make("div", { class: "problem" }, make("div", { class: "text" }, record.failure[0]), record.failure[1] ? make("details", {}, make("summary", {}, "Traceback"), make("pre", { class: "text" }, record.failure[1])) : null) : null,
    ...answer,
    record.apart ? make("p", { class: "quiet" }, "Citations given separately: ", record.apart.map(name => [cite(name, record, name, letter), " "]).flat()) : null,
    (record.problems || []).map(told => make("p", { class: "problem" }, told)),
    make("h3", {}, "Verdict"), fields(record.told),
    record.read ? make("details", {}, make("summary", {}, "Sentences as the grader read them"), make("ol", {}, record.read.map(each => make("li", {}, each)))) : null,
    make("h3", {}, "Retrieved"), retrieved(record, item.question, letter, others));
}
function evidence([document, start, end, title, before, gold, after]) {
  const place = make("p", { class: "quiet" }, `${document}${title ? `, ${title}` : ""}, characters ${start} to ${end}`);
  return gold === undefined ? place : make("div", {}, place, make("div", { class: "context text", dir: "auto" }, "\u2026", before, make("mark", {}, gold), after, "\u2026"));
}
function open() {
  const item = shown[chosen];
  if (!item) return;
  const question = item.question;
  const step = (by, label, told) => make("button", { type: "button", title: told, "aria-label": told, ...(shown[chosen + by] ? {} : { disabled: "" }), on: { click: () => { move(by); open(); } } }, label);
  dialog.classList.toggle("many", many);
  dialog.firstElementChild.replaceChildren(
    make("div", { class: "top" }, make("h2", { id: "asked" }, question.id + (data.epochs > 1 ? `, epoch ${item.epoch + 1}` : "")), make("span", { class: "quiet" }, `${question.row}, should be ${question.desired === "correct" ? "answered" : "refused"}`),
      ...item.out.map((_, place) => badge(item, place)), make("span", { class: "space" }), step(-1, "\u2190", "Previous question"), step(1, "\u2192", "Next question"),
      make("button", { type: "button", "aria-label": "Close", on: { click: () => dialog.close() } }, "\u2715")),
    make("div", { class: "body" }, make("p", { class: "asked text", dir: "auto" }, question.text), fields(question.gold),
      question.evidence.length ? [make("h3", {}, "Evidence"), question.evidence.map(evidence)].flat() : null,
      make("div", { class: many ? "sides" : "" }, item.records.map((_, place) => side(item, place)))));
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
  history.replaceState(null, "", `#q=${encodeURIComponent(question.id)}${item.epoch ? `&epoch=${item.epoch + 1}` : ""}`);
}
function linkedQuestion() {
  const asked = new URLSearchParams(location.hash.slice(1)), name = asked.get("q"), epoch = (Number(asked.get("epoch")) || 1) - 1;
  if (name === null) return;
  const same = item => item.question.id === name && item.epoch === epoch;
  if (!shown.some(same)) { cleared(); filter(); }
  const place = shown.findIndex(same);
  if (place >= 0) { chosen = 0; move(place); open(); }
}

/* Events */
for (const name of ["row", "outcome", "reason", "document", "which"]) field(name).addEventListener("change", () => { if (name === "outcome") run = null; filter(); });
let waits = 0;
field("text").addEventListener("input", () => { clearTimeout(waits); waits = setTimeout(filter, 120); });
form.addEventListener("submit", event => event.preventDefault());
form.addEventListener("reset", event => { event.preventDefault(); cleared(); filter(); });
list.addEventListener("scroll", () => requestAnimationFrame(draw));
addEventListener("resize", draw);
addEventListener("hashchange", linkedQuestion);
addEventListener("beforeprint", () => { printing = true; draw(); });
addEventListener("afterprint", () => { printing = false; draw(); });
dialog.addEventListener("close", () => { history.replaceState(null, "", location.pathname + location.search); draw(); list.focus({ preventScroll: true }); });
dialog.addEventListener("click", event => { if (event.target === dialog) dialog.close(); });
for (const link of document.querySelectorAll(".cell a")) link.addEventListener("click", event => {
  event.preventDefault();
  cleared();
  const { row, outcome, from, to, letter } = link.dataset;
  if (from) flow = [from, to, letter];
  else { run = many ? link.dataset.run : null; field("row").value = row; field("outcome").value = outcome; }
  filter();
  byId("questions").scrollIntoView();
  list.focus({ preventScroll: true });
});
addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    if (event.key === "Escape" && event.target === field("text")) list.focus();
    return;
  }
  const by = { j: 1, k: -1, ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity }[event.key];
  if (dialog.open) {
    if (event.key === "ArrowRight" || event.key === "j") { move(1); open(); }
    else if (event.key === "ArrowLeft" || event.key === "k") { move(-1); open(); }
  } else if (event.key === "/") { event.preventDefault(); field("text").focus(); }
  else if (event.key === "j" || event.key === "k" || (by !== undefined && event.target === list)) { event.preventDefault(); move(by); }
  else if (event.key === "Enter" && event.target === list) open();
});
for (const each of document.querySelectorAll("#filters, #list, .keys")) each.hidden = false;
if (many) field("which").value = Object.keys(data.flips).length ? "flipped" : "";
else field("which").value = items.some(WHICH.missed[1]) ? "missed" : "";
filter();
linkedQuestion();
