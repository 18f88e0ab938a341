// What is seen. Elements change where they stand, so that nothing typed is lost.
const STEP = { waiting: "drive", en_route: "arrive", arrived: "fuel", fueling: "complete" };
const HERE = ["arrived", "fueling"], GONE = "gone", DIESEL = "diesel";
const BEGUN = ["en_route", "arrived", "fueling"], OPEN = ["waiting", ...BEGUN];
// What a press on a smaller button opens, and the states that allow it.
const ASIDE = { fail: BEGUN, correct: ["completed"], complete: ["gone"] };
const PAUSE_MS = 400, POSITION_MS = 30_000, TIME_ZONE = "America/New_York";
const $ = (id) => document.getElementById(id);
const words = (name, values = {}) =>
  WORDS[name].replace(/{(\w+)}/g, (_, key) => values[key]);
const put = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
  element.hidden = !text;
};
const copy = (template) => $(template).content.firstElementChild.cloneNode(true);
const form = $("step"), go = $("go"), entries = new Map();
let draft = JSON.parse(localStorage.getItem("draft") ?? "null");  // what is typed for one stop
let chosen = draft?.stop, car = draft?.car ?? "", aside = draft?.aside ?? "";
let seen = { stop: null, step: "" }, confirmed = "";

const save = (next) => {
  draft = next;
  if (next) localStorage.setItem("draft", JSON.stringify(next));
  else localStorage.removeItem("draft");
};
const choose = (id, opened = "", of = "") => {
  [chosen, car, aside, confirmed] = [id, of, opened, ""];
  show();
};
// Of a visit of several cars one is shown: the chosen one, else the next. Its state is its own.
const CAR_STATES = { filled: "completed", not_filled: "failed" };
const view = (stop, of = car) => {
  if (!stop?.cars?.length) return stop;
  const one = { ...stop, ...stop.cars.find(({ fill_id: id }) => id === of) };
  const state = CAR_STATES[one.outcome] ?? stop.state;
  return { ...one, state, state_text: WORDS[`state_${state}`] };
};
const carsOf = (stop) => stop.cars?.length
  ? stop.cars.map((one) => ({ ...one, id: stop.id, customer: stop.customer })) : [stop];
const isSeen = ({ id, fill_id: of }) => id === seen.stop.id && of === seen.stop.fill_id;
const nextOpen = (stops) => stops.find((stop) => OPEN.includes(stop.state));
const current = ({ stops }) => stops.find((stop) => stop.id === chosen)
  ?? stops.find((stop) => BEGUN.includes(stop.state))
  ?? nextOpen(stops);
const stepOf = (stop) => {
  const isRefill = stop.kind === "refill";
  if (ASIDE[aside]?.includes(stop.state)) return isRefill && aside === "correct" ? "reload" : aside;
  return isRefill && stop.state === "arrived" ? "refill" : STEP[stop.state] ?? "";
};

const typed = () => Object.fromEntries(new FormData(form));
// A ticket's number is unique on the truck's meter, as far as this day knows its fills.
const bare = (ticket = "") => ticket.replace(/\s/g, "").toUpperCase();
const withTicket = (ticket) => keep.now().stops.flatMap(carsOf).find((one) =>
  !isSeen(one) && bare(ticket) && bare(one.fill?.ticket) === bare(ticket));
const nextTicket = () => {
  const fills = keep.now().stops.flatMap(carsOf).filter((one) => !isSeen(one) && one.fill?.ticket)
    .map(({ fill }) => fill);
  const last = fills.sort((a, b) => reading(a.meter_end ?? "") - reading(b.meter_end ?? "")).at(-1);
  const [, begin, digits] = /^(.*?)(\d{1,15})$/.exec(last?.ticket.trim() ?? "") ?? [];
  if (!digits) return "";
  for (let number = Number(digits) + 1; ; number += 1) {
    const next = begin + String(number).padStart(digits.length, "0");
    if (!withTicket(next)) return next;
  }
};
const pumped = () => {
  const { meter_start: start = "", meter_end: end = "" } = typed();
  const known = reading(start) !== null && reading(end) !== null;
  return known ? reading(end) - reading(start) : null;
};

// The safety check is made once for a stop, the plate is compared at each of its cars.
const comparesPlate = ({ stop, step }) =>
  step === "complete" && stop.cars?.length > 0 && stop.state !== GONE;

// Each returns what is wrong, by field.
const wrong = {
  fuel: () => new FormData(form).getAll("checked").length < form.querySelectorAll("[name=checked]")
    .length ? { checked: words("check_all") } : {},
  complete: () => {  // of a stop that is gone the figures alone, so that they are not held up
    const needsPhoto = seen.stop.state !== "gone" && !seen.stop.photos;
    const needsPlate = comparesPlate(seen) && !typed().plate;
    return {
      ...(needsPlate && { plate: words("plate_needed") }), ...wrong.correct(),
      ...(needsPhoto && { photo: words("photo_needed") }),
    };
  },
  correct: () => {
    const { meter_start: start, meter_end: end, ticket } = typed(), missing = words("meter_needed");
    const other = withTicket(ticket);
    return {
      ...(reading(start) === null && { meter_start: missing }),
      ...(reading(end) === null ? { meter_end: missing }
        : pumped() < 0 && { meter_end: words("meter_backwards") }),
      ...(!ticket.trim() && { ticket: words("ticket_needed") }),
      ...(other && { ticket: words("ticket_used", { ticket: ticket.trim(), customer: other.customer }) }),
    };
  },
  refill: () => {  // what is left empty beside a figure is none
    const fields = seen.stop.tanks.map(({ field, most }) => [field, typed()[field] ?? "", most]);
    const said = fields.filter(([, value]) => value.trim());
    if (!said.length && fields.length) return { [fields[0][0]]: words("loaded_needed") };
    return Object.fromEntries(said.flatMap(([field, value, most]) => {
      const load = reading(value);
      if (load === null) return [[field, words("loaded_needed")]];
      return load > most ? [[field, words("loaded_over", { gallons: gallons(most) })]] : [];
    }));
  },
  reload: () => wrong.refill(),
  fail: () => {
    const { reason, note } = typed(), needsNote = form.reason.selectedOptions[0].dataset.note;
    return {
      ...(!reason && { reason: words("reason_needed") }),
      ...(needsNote && !note.trim() && { note: words("note_needed") }),
      ...(HERE.includes(seen.stop.state) && !seen.stop.photos && { photo: words("photo_needed") }),
    };
  },
};
// Before the car is seen, only what is not the customer's fault.
const mayChoose = ({ dataset }) => HERE.includes(seen.stop.state) || !dataset.fee;
const say = (errors) => {
  for (const line of form.querySelectorAll("[id^=error-]")) {
    const name = line.id.slice("error-".length), text = errors[name] ?? "";
    put(line, text);
    for (const field of name === "photo" ? [$("picture")] : form.querySelectorAll(`[name=${name}]`)) {
      field.setAttribute("aria-invalid", Boolean(text) && !field.checked);
      field.setAttribute("aria-describedby", line.id);
    }
  }
  form.querySelector("[name=checked][aria-invalid=true]")?.closest("label").after($("error-checked"));
  return !Object.keys(errors).length;
};
const isRight = () => {  // what is wrong is in sight, with the text beside it
  if (say(wrong[seen.step]?.() ?? {})) return true;
  const field = form.querySelector(":enabled[aria-invalid=true]");
  field.focus({ preventScroll: true });
  field.closest("label").scrollIntoView({ block: "center" });
  return false;
};
const sayAgain = () => {  // what was put right is not red any more
  const shown = [...form.querySelectorAll("[id^=error-]:not([hidden])")].map(({ id }) => id);
  if (!shown.length) return;
  const errors = Object.entries(wrong[seen.step]?.() ?? {});
  say(Object.fromEntries(errors.filter(([name]) => shown.includes(`error-${name}`))));
};
const dataOf = (step) => {
  const { cars, fill_id: fill, state } = seen.stop, sure = { confirmed: Boolean(confirmed) };
  const of = cars?.length ? { fill } : {};
  if (step === "fuel") return { checked: new FormData(form).getAll("checked"), ...sure };
  if (step === "fail") return { ...typed(), ...(state === "fueling" && of) };
  if (["refill", "reload"].includes(step)) return typed();
  return ["complete", "correct"].includes(step) ? { ...typed(), ...sure, ...of } : {};
};
const pause = () => {  // the second of two quick taps would be another step
  const buttons = [go, $("back"), $("yes")];
  for (const button of buttons) button.ariaDisabled = "true";
  setTimeout(() => { for (const button of buttons) button.ariaDisabled = "false"; }, PAUSE_MS);
};
const takeStep = async () => {
  const { stop, step } = seen, kind = { refill: "complete", reload: "correct" }[step] ?? step;
  go.ariaDisabled = $("yes").ariaDisabled = "true";
  if (await keep.act(stop.id, kind, dataOf(step))) {
    save(null);
    if (["drive", "arrive", "fuel"].includes(kind)) choose(stop.id, "", car);
    else choose();
    scrollTo(0, 0);
  }
  pause();
};
const isOver = ({ stop, step }) => ["complete", "correct"].includes(step) && pumped() > stop.tank_most;
const questionOf = ({ stop, step }) => {
  const isDiesel = carsOf(stop).some(({ grade_id: grade }) => grade === DIESEL);
  if (step === "fuel" && isDiesel) return words("diesel_question");
  return isOver(seen) ? words("tank_question", { gallons: gallons(stop.tank_most) }) : "";
};
form.onsubmit = (event) => {
  event.preventDefault();
  if (go.ariaDisabled === "true") return;
  if (!seen.step) { choose(); scrollTo(0, 0); pause(); return; }
  if (!isRight()) return;
  const question = questionOf(seen);
  if (!question) return takeStep();
  // Its answer is another button, elsewhere: a double tap answers nothing.
  confirmed = question;
  show();
  pause();
  $("confirm").scrollIntoView({ block: "center" });
  $("yes").focus({ preventScroll: true });
};
$("yes").onclick = () => {
  if ($("yes").ariaDisabled !== "true" && isRight()) takeStep();
};
$("next-ticket").onclick = ({ target }) => {
  form.ticket.value = target.value;
  form.ticket.dispatchEvent(new Event("input", { bubbles: true }));
  form.ticket.focus();
};
form.oninput = (event) => {
  if (event.target === $("picture")) return;
  confirmed = "";
  sayAgain();
  const { id, fill_id: of = "" } = seen.stop;
  save({ stop: id, car: of, step: seen.step, aside, typed: [...new FormData(form)] });
  choose(id, aside, of);
};
let replaced = "";  // the photo that the next one is taken instead of
$("picture").onclick = ({ isTrusted }) => { if (isTrusted) replaced = ""; };
$("picture").onchange = async ({ target }) => {
  const [file] = target.files;
  if (file) put($("photos"), words("saving"));
  if (file && await keep.act(seen.stop.id, "photo", {}, file, replaced)) sayAgain();
  replaced = "";
  target.value = "";
};
const showPhotos = async ({ id, photos, state, newest = "" }) => {
  const shown = `${id} ${photos} ${state} ${newest}`, list = $("thumbs");
  if (list.dataset.shown === shown) return;
  list.dataset.shown = shown;
  const found = await keep.thumbs(id);
  if (list.dataset.shown !== shown) return;
  list.replaceChildren(...found.map(({ id: photo, thumb }, n) => {
    const entry = copy("thumb"), [picture, retake, remove] = entry.children, number = n + 1;
    picture.src = thumb;
    picture.alt = words("photo_n", { n: number });
    for (const [button, name] of [[retake, "retake"], [remove, "remove"]]) {
      button.ariaLabel = `${words(name)}, ${words("photo_n", { n: number })}`;
      button.hidden = !BEGUN.includes(state);  // what is done keeps its photos
    }
    retake.onclick = () => { replaced = photo; $("picture").click(); };
    remove.onclick = () => { remove.disabled = true; keep.act(id, "remove_photo", { photo }); };
    return entry;
  }));
};
for (const [id, opened] of [["fail", "fail"], ["correct", "correct"], ["pumped", "complete"], ["cancel", ""]]) {
  $(id).onclick = () => {
    save(null);
    choose(seen.stop.id, opened, seen.stop.fill_id);
    form.querySelector(":enabled")?.focus();
  };
}
$("back").onclick = () => {
  if ($("back").ariaDisabled === "true") return;
  pause();
  save(null);
  choose(seen.stop.id);
  keep.act(seen.stop.id, "back");
};

const lastReading = () => {  // the meter goes on where it stood
  const cars = keep.now().stops.flatMap(carsOf);
  const ends = cars.map(({ fill }) => reading(fill?.meter_end ?? "") ?? 0);
  return Math.max(...ends) ? gallons(Math.max(...ends)) : "";
};
const enter = (stop, step) => {
  form.reset();
  for (const set of form.querySelectorAll("fieldset")) {
    set.hidden = set.disabled = !set.dataset.steps.split(" ").includes(step);
  }
  const isDraft = draft?.stop === stop.id && draft.step === step
    && (!stop.cars?.length || draft.car === stop.fill_id);
  const known = { correct: stop.fill, complete: { meter_start: lastReading() }, reload: stop.load }[step];
  for (const [name, value] of isDraft ? draft.typed : Object.entries(known ?? {})) {
    for (const field of form.querySelectorAll(`[name=${name}]`)) {
      if (field.type !== "checkbox") field.value = value;
      else if (field.value === value) field.checked = true;
    }
  }
  say({});
};
const loadedText = ({ tanks = [], load }) => tanks.filter(({ field }) => load?.[field])
  .map(({ field, grade }) => `${grade} ${load[field]}`).join(", ");
const showTanks = ({ tanks = [] }) => {  // those of this truck alone
  for (const field of form.querySelectorAll("[name^=loaded_]")) {
    const isHere = tanks.some((tank) => tank.field === field.name);
    field.disabled = !isHere;
    field.closest("label").hidden = !isHere;
  }
};
const showCars = ({ id, cars = [], fill_id: shown }) => {
  $("cars").hidden = !cars.length;
  if ($("cars").children.length !== cars.length) {  // a row that is being pressed stays
    $("cars").replaceChildren(...cars.map(() => copy("car-entry")));
  }
  cars.forEach(({ fill_id: of, car: name, plate, outcome, gallons: text }, n) => {
    const button = $("cars").children[n].firstElementChild, state = CAR_STATES[outcome];
    button.onclick = () => { save(null); choose(id, "", of); };
    button.setAttribute("aria-current", of === shown);
    put(button.children[0], [name, plate].filter(Boolean).join(" · "));
    put(button.children[1], [words(`state_${state ?? "waiting"}`), text && words("gallons", { gallons: text })]
      .filter(Boolean).join(" · "));
  });
};
const showStop = (day, stop) => {
  const step = stepOf(stop), was = seen;
  const isNew = was.stop?.id !== stop.id || was.step !== step || was.stop.fill_id !== stop.fill_id;
  seen = { stop, step };
  if (isNew) enter(stop, step);
  showTanks(stop);
  showCars(stop);
  $("plate-seen").hidden = form.plate.disabled = !comparesPlate(seen);
  for (const element of document.querySelectorAll("[data-field]")) {
    const name = element.dataset.field, text = name === "loaded" ? loadedText(stop) : stop[name] ?? "";
    put(element, text);
    (element.closest(".row") ?? element).hidden = !text;
  }
  const count = day.stops.filter(({ state }) => state !== GONE).length;
  put($("place"), [stop.place && words("place_of", { place: stop.place, count }), stop.state_text]
    .filter(Boolean).join(" · "));
  $("grade").dataset.grade = stop.grade_id;
  $("grade").hidden = !stop.grade;
  $("photo").hidden = !stop.photo;
  if (stop.photo && $("photo").src !== stop.photo) $("photo").src = stop.photo;
  $("car").hidden = !stop.car;
  for (const [id, address] of [["call", stop.phone && `tel:${stop.phone}`],
    ["text", stop.phone && `sms:${stop.phone}`], ["navigate", stop.navigate]]) {
    $(id).hidden = !address;
    $(id).href = address || "#";
  }
  showPhotos(stop).catch(console.warn);
  put($("photos"), stop.photos ? words("photos_taken", { n: stop.photos }) : "");
  put($("gallons"), pumped() >= 0 && pumped() !== null ? words("gallons", { gallons: gallons(pumped()) }) : "");
  for (const option of form.reason.options) option.hidden = option.disabled = !mayChoose(option);
  const why = step === "fail" && form.reason.selectedOptions[0];
  put($("consequence"), !why || !why.value ? "" : why.dataset.fee && stop.late_fee
    ? words("fail_fee", { fee: stop.late_fee }) : words("fail_free"));
  put($("fail-hint"), step === "fail" && !HERE.includes(stop.state) ? words("fail_hint") : "");
  put($("over"), isOver(seen) ? words("tank_over", { gallons: gallons(stop.tank_most) }) : "");
  put($("question"), confirmed);
  $("confirm").hidden = !confirmed;
  if (confirmed) put($("yes"), step === "fuel" ? words("yes_diesel")
    : words("go_confirmed", { gallons: gallons(pumped()) }));
  const next = nextOpen(day.stops);
  const isOneCar = step === "fail" && stop.cars?.length && stop.state === "fueling";
  put(go, step ? words(isOneCar ? "go_fail_car" : `go_${step}`) : next ? words("to_next", next) : words("to_end"));
  const ticket = ["complete", "correct"].includes(step) ? nextTicket() : "";
  $("next-ticket").value = ticket;
  put($("next-ticket"), ticket && ticket !== form.ticket.value ? words("ticket_next", { ticket }) : "");
  const isAside = step && (step === aside || step === "reload");
  $("fail").hidden = isAside || stop.kind === "refill" || !ASIDE.fail.includes(stop.state);
  $("correct").hidden = isAside || stop.state !== "completed" || !stop.can_correct;
  $("pumped").hidden = isAside || stop.state !== "gone" || stop.kind === "refill";
  $("cancel").hidden = !isAside;
  const hasEnded = stop.cars?.some(({ outcome }) => outcome);
  $("back").hidden = isAside || hasEnded || !BEGUN.includes(stop.state);
};
// The end of the day: what was pumped, what is still to be done, when it goes on.
const showEnd = ({ stops, unsent, home, next_shift: shift }) => {
  const byGrade = new Map();
  for (const { grade, gallons: text } of stops.flatMap(carsOf)) {
    if (grade && text) byGrade.set(grade, (byGrade.get(grade) ?? 0) + reading(text));
  }
  for (const { tanks = [], load } of stops) {
    for (const { field, grade } of tanks) {
      const name = words("end_loaded", { grade }), part = reading(load?.[field] ?? "");
      if (part) byGrade.set(name, (byGrade.get(name) ?? 0) + part);
    }
  }
  const meter = lastReading(), facts = [
    ...[...byGrade].map(([grade, sum]) => [grade, words("gallons", { gallons: gallons(sum) })]),
    ...(meter ? [[words("meter_end"), meter]] : []),
    [words("end_sent"), unsent ? words("end_unsent", { n: unsent }) : words("end_all_sent")],
    [words("next_shift"), shift || words("no_shift")],
  ];
  $("end-facts").replaceChildren(...facts.map(([name, value]) => {
    const row = copy("fact");
    [row.firstElementChild.textContent, row.lastElementChild.textContent] = [name, value];
    return row;
  }));
  $("home").hidden = !home;
  if (home) $("home").href = home;
};
// What is not sent yet, so that nobody is told of it if it is undone.
let ticking;
const showHeld = ({ held, stops }) => {
  const numbers = held.map(({ number }) => number).join();
  if ($("held").dataset.numbers !== numbers) {  // a row that is being pressed stays
    $("held").dataset.numbers = numbers;
    $("held").replaceChildren(...held.map(({ number, stop: id }) => {
      const row = copy("held-entry");
      row.lastElementChild.onclick = () => { save(null); choose(id); keep.undo(number); };
      return row;
    }));
  }
  held.forEach(({ stop: id, due }, n) => {
    const customer = stops.find((stop) => stop.id === id)?.customer ?? "";
    const s = Math.max(1, Math.ceil((due - Date.now()) / 1000));
    put($("held").children[n].firstElementChild, words("held_fail", { customer, s }));
  });
  $("held").hidden = !held.length;
  clearTimeout(ticking);
  if (held.length) ticking = setTimeout(show, 1000);
};
const showList = ({ stops }) => {
  for (const [id, li] of entries) if (!stops.some((stop) => stop.id === id)) { li.remove(); entries.delete(id); }
  stops.forEach((stop, place) => {
    const li = entries.get(stop.id) ?? copy("entry"), [rest, button] = li.children;
    if (!entries.has(stop.id)) button.onclick = () => { choose(stop.id); scrollTo(0, 0); };
    entries.set(stop.id, li);
    if ($("stops").children[place] !== li) $("stops").insertBefore(li, $("stops").children[place] ?? null);
    li.dataset.stop = stop.id;
    put(rest, stop.rest);
    button.setAttribute("aria-current", stop.id === seen.stop?.id);
    put(button.children[0], stop.place ? `${stop.place}. ${stop.customer}` : stop.customer);
    put(button.children[1], [stop.expected || stop.window, stop.address].filter(Boolean).join(" · "));
    const { cars = [] } = stop, n = cars.filter(({ outcome }) => outcome).length;
    const done = cars.length ? n && words("cars_done", { n, count: cars.length })
      : stop.gallons && words("gallons", stop);
    put(button.children[2], [stop.state_text, done, loadedText(stop), stop.unsent && words("unsent"), stop.gone]
      .filter(Boolean).join(" · "));
  });
};
const ALL_SENT = { starting: "checking", up: "all_sent", down: "all_sent_offline" };
const showLine = ({ line, unsent }) => {
  const isOut = line === "signed-out", isOther = line === "no-technician", n = unsent;
  const state = isOut ? words(n ? "sign_in_with_unsent" : "sign_in", { n })
    : isOther ? words(n ? "dashboard_with_unsent" : "dashboard", { n })
    : words(n ? "to_send" : ALL_SENT[line], { n });
  if ($("line").textContent === state) return;
  const href = isOut ? AT.sign_in : AT.dashboard;
  const link = Object.assign(document.createElement("a"), { href, textContent: state });
  $("line").replaceChildren(isOut || isOther ? link : state);
};
const showRefused = ({ refused, stops }) => {
  const list = $("refused"), numbers = refused.map(({ number }) => number).join();
  if (list.dataset.numbers === numbers) return;
  list.dataset.numbers = numbers;
  list.replaceChildren(...refused.map(({ number, stop: id, kind, data, refused: why }) => {
    const notice = copy("refusal"), stop = view(stops.find((each) => each.id === id), data.fill);
    notice.firstElementChild.textContent = [stop?.customer, why].filter(Boolean).join(": ");
    notice.lastElementChild.onclick = async () => {
      await keep.dismiss(number);
      if (stop?.state === "gone" && chosen === id && !draft) choose();  // on to the next one
      if (!stop || stop.state === "gone" || !data.meter_end || draft) return;
      // What counts already is corrected; of another's record nothing is.
      const counts = stop.state === "completed", step = counts ? "correct" : kind;
      const isStored = reading(stop.fill?.meter_end ?? "") === reading(data.meter_end);
      if (counts && !(stop.can_correct && isStored)) return;
      const { confirmed: _, ...fields } = data;
      const of = data.fill ?? "";
      save({ stop: id, car: of, step, aside: step, typed: Object.entries(fields) });  // to be put right
      seen = { stop: null, step: "" };
      choose(id, step, of);
    };
    return notice;
  }));
};
$("changes").lastElementChild.onclick = () => keep.dismissChanges();
const dayOf = (time) => new Date(time).toLocaleDateString("en-US", { timeZone: TIME_ZONE });
// Signing out needs a connection: without one it says so, and offers nothing that cannot work.
let isLeaving = false;
const showLeaving = ({ ready, unsent: n, stays }) => {
  const offline = navigator.onLine ? stays : words("sign_out_offline");
  const said = [n && words("sign_out_unsent", { n }), offline].filter(Boolean).join(" ");
  put($("leave-question"), isLeaving ? said : "");
  put($("leave"), words(isLeaving && stays ? "sign_out_again" : isLeaving && n ? "sign_out_anyway" : "sign_out"));
  $("leave").hidden = !ready || isLeaving && !navigator.onLine;
  $("stay").hidden = !isLeaving;
};
const askToLeave = (asks) => {
  isLeaving = asks;
  showLeaving(keep.now());
  (asks ? $("leave-question") : $("leave")).scrollIntoView({ block: "center" });
};
// A phone that was killed right after a step may still have the draft of it.
let isChecked = false;
const checkDraft = ({ ready, stops }) => {
  if (!ready || isChecked) return;
  isChecked = true;
  const stop = view(stops.find(({ id }) => id === draft?.stop));
  if (draft && (!stop || stepOf(stop) !== draft.step)) { save(null); [chosen, aside] = [undefined, ""]; }
};
const show = () => {
  const day = keep.now();
  checkDraft(day);
  const isOld = day.ready && dayOf(day.as_of) !== dayOf(Date.now());
  const stop = view(current(day));
  const empty = { starting: "loading", up: "loading", down: "no_day", "signed-out": "signed_out",
    "no-technician": "no_technician" };
  showLine(day);
  put($("title"), day.title || words("page_title"));
  put($("shift"), [day.truck, day.hours].filter(Boolean).join(" · "));
  put($("problem"), day.problem);
  const time = new Date(day.as_of).toLocaleString("en-US", { timeZone: TIME_ZONE, weekday: "long",
    month: "long", day: "numeric", hour: "numeric", minute: "2-digit" });
  put($("as-of"), isOld ? words("as_of", { time }) : "");
  put($("others"), day.others ? words("others", { n: day.others }) : "");
  put($("message"), !day.ready ? words(empty[day.line]) : day.message);
  showRefused(day);
  $("stop").hidden = go.hidden = !stop;
  put($("changes").firstElementChild, day.changes.join("\n"));
  $("changes").hidden = !day.changes.length;
  $("bar").hidden = !stop && !day.held.length && !day.changes.length;
  $("list").hidden = !day.stops.length;
  $("end").hidden = Boolean(stop) || !day.stops.length;
  if (stop) showStop(day, stop);
  else { seen = { stop: null, step: "" }; showEnd(day); }
  showList(day);
  showHeld(day);
  document.body.classList.toggle("there", HERE.includes(stop?.state));
  document.body.classList.toggle("quiet", day.line === "up" && !day.unsent);
  $("sharing").hidden = !day.can_send_position;
  showLeaving(day);
};

const share = $("share");
share.checked = localStorage.getItem("share") === "on";
const sendPosition = () => {
  if (document.hidden || !share.checked || !keep.now().can_send_position) return;
  const options = { maximumAge: POSITION_MS / 2, timeout: POSITION_MS / 2 };
  navigator.geolocation.getCurrentPosition(({ coords: { latitude: lat, longitude: lng } }) => {
    put($("share-problem"), "");
    keep.ask(AT.position, { method: "POST", body: JSON.stringify({ lat, lng }) }).catch(console.warn);
  }, ({ code, PERMISSION_DENIED }) => {
    if (code !== PERMISSION_DENIED) return;
    share.click();
    put($("share-problem"), words("share_refused"));
  }, options);
};
share.onchange = () => {
  localStorage.setItem("share", share.checked ? "on" : "off");
  sendPosition();
};
$("stay").onclick = () => askToLeave(false);
$("leave").onclick = async () => {
  if (!isLeaving && (keep.now().unsent || !navigator.onLine)) askToLeave(true);
  else if (await keep.signOut()) location.assign("/");
  else askToLeave(true);
};

// What stands at the foot grows and shrinks; nothing stays under it.
new ResizeObserver(() => {
  document.documentElement.style.setProperty("--bar", `${$("bar").offsetHeight}px`);
}).observe($("bar"));

if (isSecureContext) {
  const askForNotices = followNotices();
  keep.subscribe(() => { show(); askForNotices(keep.now()); });
  show();
  for (const turn of ["online", "offline"]) addEventListener(turn, show);
  setInterval(sendPosition, POSITION_MS);
  followReleases().catch(console.warn);
} else put($("problem"), words("insecure"));
