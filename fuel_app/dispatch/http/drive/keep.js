// The technician's day and actions, kept on this phone until the server has them.
// `now()` is what is shown; `subscribe` tells of changes and starts the sending.
const { words: WORDS, addresses: AT, notices: NOTICES } = JSON.parse(document.getElementById("told").textContent);

// Thousandths of a gallon, as whole numbers; null for anything else.
const reading = (typed) => {
  const found = /^(\d{1,7})(?:\.(\d{1,3}))?$/.exec(typed.trim().replaceAll(",", ""));
  return found && Number(found[1]) * 1000 + Number((found[2] ?? "").padEnd(3, "0"));
};
const gallons = (thousandths) => `${Math.floor(thousandths / 1000)}.${
  String(thousandths % 1000).padStart(3, "0").replace(/0{1,2}$/, "")}`;
const gallonsOf = ({ meter_start: start = "", meter_end: end = "" }) => {
  const pumped = reading(end) - reading(start), isKnown = ![start, end].map(reading).includes(null);
  return isKnown && pumped >= 0 ? gallons(pumped) : "";
};

// The fields of a refill: gallons by grade.
const isLoad = (name) => name.startsWith("loaded_");

const keep = (() => {
  const PHOTO_BYTES = 200_000, BATCH = 25, CHANGES_MOST = 6;
  const TIMEOUT_MS = 15_000, RETRY_MS = 20_000, REFRESH_MS = 20_000;
  const THUMB_PX = 320, thumbKey = (stop, id = "") => `thumb:${stop}:${id}`;
  const SIZES = [[1600, 0.8], [1280, 0.7], [1024, 0.6], [800, 0.5], [480, 0.4]];
  // An end without fuel waits here before it is sent, and can be undone until then: it may cost a fee.
  const GRACE_MS = 20_000;
  const AFTER = { drive: "en_route", arrive: "arrived", fuel: "fueling", complete: "completed",
                  fail: "failed" };
  const BEFORE = { en_route: "waiting", arrived: "en_route", fueling: "arrived" };
  const NO_DAY = { person: "", title: "", truck: "", hours: "", message: "", as_of: 0,
                   can_send_position: false, home: null, next_shift: "" };
  const SIGNED_OUT = "signed-out", NO_TECHNICIAN = "no-technician", NAMES = ["kept", "actions", "photos"];
  const subscribers = new Set();
  let shown = { ...NO_DAY, ready: false, stops: [], refused: [], held: [], changes: [], unsent: 0, others: 0,
                line: "starting", problem: "", stays: "" };  // why it cannot sign out
  let channel, opened, working = 0, askedAt = 0;

  const open = () => (opened ??= new Promise((done, fail) => {
    const request = indexedDB.open("technician", 1);
    const forget = () => { opened = undefined; };
    request.onupgradeneeded = () => {
      request.result.createObjectStore("kept");
      // Its number is the order, not the phone's clock.
      request.result.createObjectStore("actions", { keyPath: "number", autoIncrement: true });
      request.result.createObjectStore("photos", { keyPath: ["person", "id"] });
    };
    request.onsuccess = () => {
      request.result.onversionchange = () => { request.result.close(); forget(); };
      request.result.onclose = forget;
      done(request.result);
    };
    request.onerror = request.onblocked = () => { forget(); fail(request.error); };
  }));
  // All of it or nothing, and on the disk before the screen says that it is kept.
  const transaction = async (mode, work) => {
    const database = await open();
    return new Promise((done, fail) => {
      const started = database.transaction(NAMES, mode, { durability: "strict" });
      const requests = work(Object.fromEntries(NAMES.map((n) => [n, started.objectStore(n)])));
      started.oncomplete = () => done(requests?.map((request) => request.result));
      started.onerror = started.onabort = () => fail(started.error);
    });
  };

  const tell = (change) => {
    shown = { ...shown, ...(change.line === "up" && { stays: "" }), ...change };
    subscribers.forEach((subscriber) => subscriber());
  };
  // Of a visit of several cars an action is about one, or about all that are left; then the next one
  // is shown, and after the last one the stop has ended.
  const OUTCOMES = { complete: "filled", fail: "not_filled" };
  const carsAfter = (stop, kind, data) => {
    const isMeant = (car) => data.fill ? car.fill_id === data.fill : !car.outcome;
    const cars = stop.cars.map((car) => !isMeant(car) ? car : {
      ...car, outcome: OUTCOMES[kind] ?? car.outcome,
      ...("meter_end" in data && { fill: data, gallons: gallonsOf(data), can_correct: true }),
    });
    const next = cars.find(({ outcome }) => !outcome);
    const ended = cars.some(({ outcome }) => outcome === "filled") ? "completed" : "failed";
    const state = stop.state === "gone" ? stop.state : next ? "fueling" : ended;
    return { ...(next ?? cars[0]), cars, state };
  };
  const applied = (stop, { kind, data }) => {
    const after = { ...stop, unsent: true };
    const isOfCars = stop.cars?.length && ["complete", "correct", "fail"].includes(kind);
    if (isOfCars) Object.assign(after, carsAfter(stop, kind, data));
    else if (kind === "photo") [after.photos, after.newest] = [stop.photos + 1, data.photo];
    else if (kind === "remove_photo") after.photos = Math.max(0, after.photos - 1);
    else if (kind === "back") after.state = BEFORE[stop.state] ?? stop.state;
    else after.state = AFTER[kind] ?? stop.state;
    if (Object.keys(data).some(isLoad)) Object.assign(after, { load: data, can_correct: true });
    if ("meter_end" in data && !isOfCars) Object.assign(after, { fill: data, gallons: gallonsOf(data), can_correct: true });
    if (["completed", "failed"].includes(after.state)) after.expected = "";
    if (after.state !== stop.state) after.state_text = WORDS["state_" + after.state];
    return after;
  };
  // A clock that was turned back holds nothing up for longer.
  const isHeld = ({ due = 0 }, now = Date.now()) => due > now && due - now <= GRACE_MS;
  let timer;
  const read = async () => {
    const [day, changes, actions, photos] = await transaction("readonly", (stores) =>
      [stores.kept.get("day"), stores.kept.get("changes"), stores.actions.getAll(), stores.photos.getAllKeys()]);
    const person = day?.person ?? "", waiting = actions.filter((action) => !action.refused);
    const announced = new Set(waiting.map((action) => action.id));
    const unsent = [...waiting.map((action) => action.person),  // a photo counts with its action
                    ...photos.filter(([, id]) => !announced.has(id)).map(([owner]) => owner)];
    const mine = waiting.filter((action) => action.person === person);
    const held = mine.filter((action) => isHeld(action)), first = mine.findIndex((action) => isHeld(action));
    clearTimeout(timer);
    if (held.length) timer = setTimeout(send, Math.max(0, held[0].due - Date.now()));
    tell({
      ...NO_DAY, ...day, ready: Boolean(day), held, changes: changes ?? [],
      unsent: unsent.filter((owner) => !day || owner === person).length,
      others: day ? unsent.filter((owner) => owner !== person).length : 0,
      refused: actions.filter((action) => action.refused && action.person === person),
      stops: (day?.stops ?? []).map((stop) =>
        mine.filter((action) => action.stop === stop.id).reduce(applied, stop)),
    });
    const ready = photos.filter(([owner, id]) => owner === person && !announced.has(id));
    // What follows one that is held waits with it, so that the order stays.
    return { person, waiting: first < 0 ? mine : mine.slice(0, first), photos: ready };
  };
  const changed = () => { channel.postMessage({}); return read(); };

  const ask = (address, options = {}) => fetch(
    address, { ...options, redirect: "error", signal: AbortSignal.timeout(TIMEOUT_MS) });
  const answerOf = async (answer) => {
    if (answer.status === 401) throw SIGNED_OUT;
    if (!answer.ok) throw "down";
    return answer.json();
  };
  const dayNow = async () => {
    const answer = await ask(AT.day);
    if (answer.status === 403) throw NO_TECHNICIAN;
    return answerOf(answer);
  };
  // What the office has changed, in words. What the technician does changes states alone.
  const PLACE = ["window", "address", "spot", "gate_code", "notes"];
  const isSameDay = (former, day) => former?.date === day.date && former.person === day.person;
  const changesOf = (former, day) => {
    const isOpen = ({ state }) => !["completed", "failed", "gone"].includes(state);
    const before = new Map(former.stops.map((stop) => [stop.id, stop]));
    const now = new Map(day.stops.map((stop) => [stop.id, stop]));
    const say = (name, { customer, gone }) => WORDS[name].replace("{customer}", customer).replace("{gone}", gone);
    if (!before.size && now.size) return [WORDS.change_published];
    const order = (stops, others) => stops.filter(({ id, state }) =>
      state === "waiting" && others.get(id)?.state === "waiting").map(({ id }) => id).join();
    return [
      ...day.stops.filter((stop) => isOpen(stop) && !before.has(stop.id)).map((stop) => say("change_new", stop)),
      ...former.stops.filter((stop) => isOpen(stop) && !now.has(stop.id)).map((stop) => say("change_off", stop)),
      ...day.stops.flatMap((stop) => {
        const was = before.get(stop.id);
        if (!was || !isOpen(was)) return [];
        if (stop.state === "gone") return [say("change_gone", stop)];
        const isKnown = Object.keys(was).join() === Object.keys(stop).join();  // by this release
        const isMoved = isKnown && isOpen(stop) && PLACE.some((name) => was[name] !== stop[name]);
        return isMoved ? [say("change_place", stop)] : [];
      }),
      ...(order(former.stops, now) === order(day.stops, before) ? [] : [WORDS.change_order]),
    ];
  };
  const addChanges = (kept, news) => {
    if (!news.length) return;
    kept.get("changes").onsuccess = ({ target: { result: unread = [] } }) => {
      kept.put([...unread.filter((text) => !news.includes(text)), ...news].slice(-CHANGES_MOST), "changes");
    };
    navigator.vibrate?.([200, 100, 200]);
  };
  const sendActions = async () => {
    for (;;) {
      const { person, waiting } = await read(), batch = waiting.slice(0, BATCH);
      const actions = batch.map(({ id, stop, kind, data, at }) => ({ id, stop, kind, data, at }));
      const answer = actions.length && await ask(AT.actions, {
        method: "POST", keepalive: true, headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ person, actions }) });
      // 403: another person has signed in on this phone, and today's stops say which one.
      const said = answer && answer.status !== 403 ? await answerOf(answer) : null;
      const day = said ? said.day : await dayNow();
      await transaction("readwrite", (stores) => {
        stores.kept.get("day").onsuccess = ({ target: { result: former } }) => {
          stores.kept.put(day, "day");
          if (!isSameDay(former, day)) stores.kept.delete("changes");
          else addChanges(stores.kept, changesOf(former, day));
        };
        stores.kept.getAllKeys().onsuccess = ({ target: { result: keys } }) => {
          const isOld = (key) => !day.stops.some(({ id }) => key.startsWith(thumbKey(id)));
          for (const key of keys) if (key.startsWith("thumb:") && isOld(key)) stores.kept.delete(key);
        };
        for (const { id, refused } of said?.heard ?? []) {
          const action = batch.find((each) => each.id === id);
          if (!action) continue;
          if (refused) stores.actions.put({ ...action, refused });
          else stores.actions.delete(action.number);
          if (refused && action.kind === "photo") stores.photos.delete([person, id]);
        }
      });
      askedAt = Date.now();
      const left = await changed();
      if (!left.waiting.length) return left;
      if (left.waiting[0].number === waiting[0]?.number) throw "down";  // nothing was heard
    }
  };
  const sendPhotos = async ({ photos: keys }) => {
    for (const key of keys) {
      const [photo] = await transaction("readonly", ({ photos }) => [photos.get(key)]);
      const answer = await ask(`${AT.photos}/${photo.id}`, { method: "PUT", body: photo.bytes });
      const isRefused = [404, 413, 415].includes(answer.status);
      if (answer.status === 401) throw SIGNED_OUT;
      if (!answer.ok && !isRefused) throw "down";
      await transaction("readwrite", ({ actions, photos }) => {
        const { id, person, stop } = photo, refused = WORDS.photo_refused;
        photos.get(key).onsuccess = ({ target: { result } }) => {  // it may have been removed meanwhile
          if (result && isRefused) actions.add({ id, person, stop, kind: "photo", data: {}, refused });
          photos.delete(key);
        };
      });
      await changed();
    }
  };
  let isQueued = false;  // one that has not begun sends what is added meanwhile, too
  const send = () => {
    if (isQueued) return;
    isQueued = true;
    navigator.locks.request("technician", async () => {  // one tab at a time
      isQueued = false;
      let line = "up";
      try { await sendPhotos(await sendActions()); }
      catch (problem) { line = [SIGNED_OUT, NO_TECHNICIAN].includes(problem) ? problem : "down"; }
      tell({ line });
      channel.postMessage({ line });
    });
  };

  const small = async (file) => {
    const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
    const canvas = document.createElement("canvas");
    const draw = (side) => {
      const scale = Math.min(1, side / Math.max(picture.width, picture.height));
      canvas.width = picture.width * scale;
      canvas.height = picture.height * scale;
      canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    };
    draw(THUMB_PX);
    const thumb = canvas.toDataURL("image/jpeg", 0.6);
    for (const [side, quality] of SIZES) {
      draw(side);
      const less = await new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
      if (less?.size <= PHOTO_BYTES) return { thumb, bytes: await less.arrayBuffer() };
    }
    throw new Error("too large at any size");
  };
  const undo = async (number) => {
    await transaction("readwrite", ({ actions }) => {
      actions.get(number).onsuccess = ({ target: { result } }) => {
        if (result && isHeld(result)) actions.delete(number);
      };
    });
    await changed();
  };
  const act = async (stop, kind, data = {}, file = null, instead = "") => {
    let problem = WORDS.no_picture;
    working += 1;
    try {
      const id = crypto.randomUUID(), { person } = shown, at = Date.now();
      const picture = file && await small(file);
      const due = kind === "fail" ? at + GRACE_MS : 0;
      problem = WORDS.no_room;
      await transaction("readwrite", ({ kept, actions, photos }) => {
        if (picture) {
          photos.add({ id, person, stop, bytes: picture.bytes });
          kept.put({ id, thumb: picture.thumb, at }, thumbKey(stop, id));
        }
        const removed = kind === "remove_photo" ? data.photo : instead;
        if (removed) {
          photos.delete([person, removed]);
          kept.delete(thumbKey(stop, removed));
        }
        if (instead) {  // first, as a stop has room for so many
          const more = { id: crypto.randomUUID(), kind: "remove_photo", data: { photo: instead } };
          actions.add({ person, stop, at, due, ...more });
        }
        actions.add({ id, person, stop, kind, data: picture ? { photo: id } : data, at, due });
      });
      problem = "";
    } catch (error) {
      console.warn(error);
    } finally { working -= 1; }
    tell({ problem });
    if (!problem) { await changed(); send(); }
    return !problem;
  };
  // Signed out on the server first, and between two sendings: customers' addresses do not stay.
  const signOut = () => navigator.locks.request("technician", async () => {
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const answer = await fetch(AT.sign_out, { method: "POST", redirect: "manual", signal });
      if (answer.type !== "opaqueredirect") throw new Error(answer.status);
    } catch { tell({ stays: WORDS.sign_out_offline }); return false; }
    localStorage.clear();
    await transaction("readwrite", ({ kept }) => { kept.clear(); });
    await changed();
    return true;
  });
  const start = () => {
    channel = new BroadcastChannel("technician");
    channel.onmessage = ({ data }) => data.line ? tell(data) : read();
    navigator.storage?.persist?.();
    addEventListener("online", send);
    document.addEventListener("visibilitychange", () => document.hidden || send());
    setInterval(() => {
      const isDue = shown.unsent || Date.now() - askedAt >= REFRESH_MS;
      if (isDue && !document.hidden) send();
    }, RETRY_MS);
    read().then(send, send);
  };
  return {
    act, undo, signOut, ask, refresh: send,
    now: () => shown,
    // The photos that this phone has taken of a stop, small, in their order.
    thumbs: async (stop) => {
      const range = IDBKeyRange.bound(thumbKey(stop), thumbKey(stop, "\uffff"));
      const [found] = await transaction("readonly", ({ kept }) => [kept.getAll(range)]);
      return found.sort((a, b) => a.at - b.at);
    },
    isIdle: () => !working,
    subscribe: (subscriber) => { subscribers.add(subscriber); start(); },
    dismissChanges: async () => {
      await transaction("readwrite", ({ kept }) => { kept.delete("changes"); });
      await changed();
    },
    dismiss: async (number) => {
      await transaction("readwrite", ({ actions }) => { actions.delete(number); });
      await changed();
    },
  };
})();
