import { Button, Group } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import type { Problem } from '../../api/problem.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { ProblemBox } from '../answers/problem-box.tsx'
import { Fields } from './fields.tsx'

/** Submit handler: hands over the values of the form, which the browser does not send. */
export function onSubmit(work: (values: FormData, form: HTMLFormElement) => void) {
  return (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    work(new FormData(event.currentTarget), event.currentTarget)
  }
}

interface SaveFormProps {
  change: { isPending: boolean; error: Problem | null }
  onSave(values: FormData): void
  /** Cancel button, if given. */
  onCancel?(): void
  /** Label of the save button; defaults to "Save". */
  label?: string
  /** What is done cannot be undone. */
  isDangerous?: boolean
  /** Text above the fields, which stays enabled while they are saved. */
  lead?: ReactNode
  /** Between the fields and the buttons. */
  notice?: ReactNode
  /** At the other end of the row of buttons. */
  beside?: ReactNode
  children: ReactNode
}

/** Form of a dialog: fields that are disabled while they are saved, why a save failed, and the buttons. */
export function SaveForm({ change, onSave, onCancel, label, isDangerous = false, lead, notice, beside, children }: SaveFormProps) {
  const texts = useTexts(common)
  const save = (
    <Button type="submit" className={isDangerous ? 'danger-filled' : undefined} loading={change.isPending}>
      {label ?? texts.save}
    </Button>
  )
  return (
    <form onSubmit={onSubmit(onSave)}>
      {lead}
      <Fields isSending={change.isPending}>{children}</Fields>
      {change.error && <ProblemBox problem={change.error} />}
      {notice}
      {onCancel ? (
        <Group justify={beside ? 'space-between' : 'flex-end'} mt="md">
          {beside}
          <Group>
            <Button variant="default" onClick={onCancel}>
              {texts.cancel}
            </Button>
            {save}
          </Group>
        </Group>
      ) : (
        save
      )}
    </form>
  )
}
