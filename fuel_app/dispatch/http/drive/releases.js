// A release is shown soon after opening, or when the page is seen again: never over what is typed,
// and not twice, as old and new processes may answer in turns.
const followReleases = async () => {
  const { serviceWorker } = navigator, had = serviceWorker.controller;
  const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload";
  let isNew = false;
  const isTyped = () => draft !== null && draft.stop === seen.stop?.id;
  const renew = () => { if (isNew && !isTyped() && keep.isIdle()) location.reload(); };
  serviceWorker.addEventListener("controllerchange", () => {
    isNew = Boolean(had);
    if (!isReload && performance.now() < 10_000) renew();
  });
  const registration = await serviceWorker.register(AT.worker, { scope: AT.page });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return;
    renew();
    registration.update().catch(console.warn);
  });
};
