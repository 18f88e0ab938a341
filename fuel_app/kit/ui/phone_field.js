// The caret stays behind the digit that it was behind. What is no plain US number (too many digits,
// an extension, another country's code) stays as typed: nothing is cut, the form's rule says so.
const phoneDigits = (text) => text.replace(/[^0-9]/g, "");
const phoneFormat = (digits) =>
  !digits ? "" : digits.length < 4 ? "(" + digits
  : digits.length < 7 ? "(" + digits.slice(0, 3) + ") " + digits.slice(3)
  : "(" + digits.slice(0, 3) + ") " + digits.slice(3, 6) + "-" + digits.slice(6);
const PhoneInput = ({ defaultValue = "", ...props }) => {
  const before = useRef(defaultValue);
  const format = (event) => {
    const field = event.target;
    const how = event.nativeEvent.inputType ?? "";
    const code = /^\s*\+\s*1?/.exec(field.value)?.[0] ?? "";
    const number = field.value.slice(code.length);
    const old = phoneDigits(before.current);
    let digits = phoneDigits(number);
    const abroad = code && (digits.length < 10 || !code.endsWith("1"));
    if (abroad || digits.length > 10 || /[^0-9\s().-]/.test(number)) {
      before.current = field.value;
      return;
    }
    let caret = phoneDigits(field.value.slice(code.length, field.selectionStart)).length;
    if (how.startsWith("delete") && digits === old && field.value.length < before.current.length) {
      if (how.endsWith("Forward")) digits = digits.slice(0, caret) + digits.slice(caret + 1);
      else if (caret > 0) digits = digits.slice(0, --caret) + digits.slice(caret + 1);
    }
    const text = phoneFormat(digits);
    let at = 0;
    while (caret > 0 && at < text.length) if (/[0-9]/.test(text[at++])) caret -= 1;
    if (at === 0 && digits && field.selectionStart > 0) at = 1;
    field.value = before.current = text;
    field.setSelectionRange(at, at);
  };
  return jsx("input", { ...props, type: "tel", defaultValue, onChange: format });
};
