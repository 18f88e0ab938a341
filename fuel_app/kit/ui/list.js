const SlashKey = ({ field }) => {
  useEffect(() => {
    const listen = (event) => {
      const typing = event.target.closest?.("input, select, textarea, [contenteditable]");
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) return;
      const box = document.getElementById(field);
      if (!box || document.querySelector("[role=dialog]")) return;
      event.preventDefault();
      box.focus();
      box.select();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [field]);
  return null;
};
