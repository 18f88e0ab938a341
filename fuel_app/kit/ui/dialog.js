// A dialog that a state opens has no trigger, so the library does not know where the focus was. Here
// it is noted while rendering, before a field in the dialog takes it.
const FocusReturn = ({ open, onLeave }) => {
  const leave = useRef(null);
  leave.current = open ? onLeave : null;
  useEffect(() => () => leave.current?.(), []);
  const opener = useRef(null);
  const wasOpen = useRef(false);
  if (open && !wasOpen.current) opener.current = document.activeElement;
  wasOpen.current = open;
  useEffect(() => {
    if (open) return () => setTimeout(() => {
      const lost = !document.activeElement || document.activeElement === document.body;
      if (lost && opener.current?.isConnected) opener.current.focus();
    });
  }, [open]);
  return null;
};
