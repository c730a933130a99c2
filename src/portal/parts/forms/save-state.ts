import { useRef, useState } from 'react'

/** Outcome of the last save: the whole form was saved, or something was edited while saving. */
export type Saved = 'all' | 'notWhatCameSince' | null

/** Save state of a form that stays on the page; an edit resets it. */
export function useSaveState() {
  const [saved, setSaved] = useState<Saved>(null)
  const [isEdited, setIsEdited] = useState(false)
  // A ref, because the callback of an older render reads it.
  const edited = useRef(false)
  const emptied = useRef<[HTMLFormElement, FormData] | null>(null)
  const turn = (wanted: boolean, told: Saved) => {
    edited.current = wanted
    setIsEdited(wanted)
    setSaved(told)
  }
  return {
    saved,
    /** There are unsaved edits. */
    isEdited,
    /** Starts a save. A form that is passed is cleared of what it sent once that is saved, such as passwords and keys. */
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

/** Clears the fields that still hold what was sent; later edits stay. */
function emptySent(form: HTMLFormElement, sent: FormData): void {
  for (const field of form.elements) {
    if (!(field instanceof HTMLTextAreaElement || field instanceof HTMLInputElement) || !sent.has(field.name)) continue
    if (field instanceof HTMLInputElement && field.type === 'checkbox') field.checked = false
    else if (field.value === sent.get(field.name)) field.value = ''
  }
}
