// The cookie has to come by HTTP, and the page stays as it is, with all that was typed in it.
const CookieFetcher = ({ ticket, address, leaveFor, onOutcome }) => {
  useEffect(() => {
    if (ticket) fetch(address, { method: "POST", body: ticket })
      .then((answer) => onOutcome(answer.ok), () => onOutcome(false));
  }, [ticket]);
  useEffect(() => {
    if (leaveFor) window.location.replace(leaveFor);
  }, [leaveFor]);
  return null;
};
