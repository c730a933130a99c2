import { Alert, Button, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Problem } from '../api/problem.ts'
import { ProblemBox } from '../parts/answers/problem-box.tsx'
import { onSubmit } from '../parts/forms/save-form.tsx'

interface EntryFormProps {
  title: string
  lead: string
  /** Moves the focus to the heading, because this form replaces another. */
  isNext?: boolean
  /** Label of the submit button. */
  button: string
  /** Texts for refusals by their HTTP status. */
  errors: Readonly<Record<number, string>>
  /** Throws a `Problem`. */
  onSend(values: FormData): Promise<void>
  /** Another way than to submit the form, above it. */
  instead?: { label: string; onSend(): Promise<void> }
  footer: ReactNode
  children: ReactNode
}

/** Form of a page that is shown without a session. */
export function EntryForm({ title, lead, isNext = false, button, errors, onSend, instead, footer, children }: EntryFormProps) {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isNext) heading.current?.focus()
  }, [isNext])
  const send = async (work: () => Promise<void>) => {
    setIsBusy(true)
    setProblem(null)
    try {
      await work()
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem(0, String(error)))
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <form onSubmit={onSubmit((values) => void send(() => onSend(values)))}>
      <Title order={1} size="h2" ref={heading} tabIndex={isNext ? -1 : undefined}>
        {title}
      </Title>
      <Text c="dimmed" mb="md">
        {lead}
      </Text>
      {problem && <Refusal problem={problem} text={errors[problem.status]} />}
      {instead && (
        <Button fullWidth mb="md" loading={isBusy} onClick={() => void send(instead.onSend)}>
          {instead.label}
        </Button>
      )}
      {children}
      <Button type="submit" fullWidth variant={instead ? 'default' : 'filled'} loading={isBusy}>
        {button}
      </Button>
      {footer}
    </form>
  )
}

function Refusal({ problem, text }: { problem: Problem; text: string | undefined }) {
  if (text === undefined) return <ProblemBox problem={problem} />
  return (
    <Alert color="red" variant="outline" role="alert" mb="sm" className="problem">
      {text}
    </Alert>
  )
}
