"""A photo to add, look at and remove. The server makes it small; the tab's state keeps it."""

from typing import Any

import reflex as rx

from fuel_app import routes
from fuel_app.customers.rules.photos import KINDS, SENT_MAX, PhotoTooLarge
from fuel_app.kit.ui.button import button_class
from fuel_app.kit.ui.fields import field_id

FAILED = "The photo could not be sent. Please try again."

# The file goes to the server by itself, since an event holds no ten megabytes. Its answer is the
# small photo or, in words, what is wrong. A file that is too large is not even sent.
_PHOTO_INPUT = """
const PhotoInput = ({ id, address, accept, most, tooLarge, failed, hint, label, onPhoto,
                      buttonClass, ref }) => {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const send = async (event) => {
    event.stopPropagation();
    const file = event.target.files[0];
    event.target.value = "";  // so that the same file can be chosen again
    if (!file || busy) return;
    if (file.size > most) return setProblem(tooLarge);
    setProblem("");
    setBusy(true);
    try {
      const answer = await fetch(address, { method: "POST", body: file });
      const text = await answer.text();
      if (answer.ok) onPhoto(text);
      else setProblem(answer.status < 500 && text ? text : failed);
    } catch {
      setProblem(failed);
    } finally {
      setBusy(false);
    }
  };
  return jsx("div", {},
    jsx("input", {
      id, ref, type: "file", accept, onChange: send, onBlur: (event) => event.stopPropagation(),
      className: "peer sr-only", "aria-describedby": id + "-error " + id + "-hint",
      "aria-invalid": problem ? "true" : "false", "aria-busy": busy,
    }),
    jsx("label", { htmlFor: id, className: buttonClass }, busy ? "Uploading..." : label),
    jsx("p", { id: id + "-error", "aria-live": "polite",
               className: "mt-1 text-sm font-medium text-danger empty:mt-0" }, problem),
    jsx("p", { id: id + "-hint", className: "mt-1 text-sm text-muted" }, hint));
};
"""


class _PhotoInput(rx.Component):
    tag = "PhotoInput"

    address: rx.Var[str]
    accept: rx.Var[str]
    most: rx.Var[int]
    too_large: rx.Var[str]
    failed: rx.Var[str]
    hint: rx.Var[str]
    label: rx.Var[str]
    button_class: rx.Var[str]
    on_photo: rx.EventHandler[rx.event.passthrough_event_spec(str)]

    def add_imports(self) -> rx.ImportDict:
        return {"react": "useState"}

    def add_custom_code(self) -> list[str]:
        return [_PHOTO_INPUT]


def photo_field(
    label: str, *, form: str, photo: rx.Var[str], on_photo: Any, on_remove: Any
) -> rx.Component:
    """The whole field: the photo, or its empty frame, beside the buttons."""
    return rx.el.fieldset(
        rx.el.legend(
            label,
            rx.el.span(" (optional)", class_name="font-normal text-muted"),
            class_name="mb-1 text-sm font-semibold text-ink",
        ),
        rx.el.div(
            vehicle_photo(photo, class_name="h-24 w-32"),
            rx.el.div(
                _PhotoInput.create(
                    id=field_id(form, "photo"),
                    address=routes.PHOTOS,
                    accept=",".join(KINDS),
                    most=SENT_MAX,
                    too_large=str(PhotoTooLarge()),
                    failed=FAILED,
                    hint="JPEG, PNG or WebP, up to 10 MB",
                    label=rx.cond(photo != "", "Replace photo", "Add a photo"),
                    button_class=button_class(
                        "secondary",
                        "peer-focus-visible:outline-3 peer-focus-visible:outline-offset-2 "
                        "peer-focus-visible:outline-gulf",
                    ),
                    on_photo=on_photo,
                ),
                rx.cond(
                    photo != "",
                    rx.el.button(
                        "Remove photo",
                        type="button",
                        on_click=[on_remove, rx.set_focus(field_id(form, "photo"))],
                        class_name="link mt-1 min-h-11 cursor-pointer",
                    ),
                ),
                class_name="min-w-0 flex-1",
            ),
            class_name="flex items-start gap-4",
        ),
    )


def vehicle_photo(photo: Any, *, class_name: str, alt: Any = "The vehicle") -> rx.Component:
    """A vehicle's photo, or a drawn car where there is none."""
    frame = f"shrink-0 rounded-control border border-line {class_name}"
    return rx.cond(
        photo != "",
        rx.el.img(src=photo, alt=alt, class_name=f"object-cover {frame}"),
        rx.el.div(
            rx.icon("car", size=36, aria_hidden=True),
            class_name=f"flex items-center justify-center bg-seafoam text-gulf-deep {frame}",
        ),
    )
