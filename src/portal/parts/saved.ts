import { useRef, useState } from 'react'

/** What is true of the last save: all of the form was saved, or something was typed while it was under way. */
export type Saved = 'all' | 'notWhatCameSince' | null

/** Follows a form that stays on the page: what is said of a save counts until something is typed again. */
export function useSaved() {
  const [saved, setSaved] = useState<Saved>(null)
  const [isEdited, setIsEdited] = useState(false)
  // Read when the answer comes, by a function of the render that sent.
  const edited = useRef(false)
  const emptied = useRef<[HTMLFormElement, FormData] | null>(null)
  const turn = (wanted: boolean, told: Saved) => {
    edited.current = wanted
    setIsEdited(wanted)
    setSaved(told)
  }
  return {
    saved,
    /** Something was typed that was not saved yet. */
    isEdited,
    /** A form that is given loses what it sent once that is saved, such as passwords and keys, which are not shown again. */
    begin: (form?: HTMLFormElement) => {
      emptied.current = form ? [form, new FormData(form)] : null
      turn(false, null)
    },
    edit: () => turn(true, null),
    end: () => {
      if (emptied.current) emptySent(...emptied.current)
      emptied.current = null
      setSaved(edited.current ? 'notWhatCameSince' : 'all')
    },
  }
}

/** Empties the fields that still hold what was sent; what was typed since stays. */
function emptySent(form: HTMLFormElement, sent: FormData): void {
  for (const field of form.elements) {
    if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) || !sent.has(field.name)) continue
    if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = false
    else if (field.value === sent.get(field.name)) field.value = ''
  }
}
