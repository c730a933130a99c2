import { Alert, Button, Text, Title } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Problem } from '../api/problem.ts'
import { ProblemBox } from '../parts/problem-box.tsx'
import { onSubmit } from '../parts/save-form.tsx'

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
  footer: ReactNode
  children: ReactNode
}

/** Form of a page that is shown without a session. */
export function EntryForm({ title, lead, isNext = false, button, errors, onSend, footer, children }: EntryFormProps) {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isNext) heading.current?.focus()
  }, [isNext])
  const send = async (values: FormData) => {
    setIsBusy(true)
    setProblem(null)
    try {
      await onSend(values)
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem(0, String(error)))
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <form onSubmit={onSubmit((values) => void send(values))}>
      <Title order={1} size="h2" ref={heading} tabIndex={isNext ? -1 : undefined}>
        {title}
      </Title>
      <Text c="dimmed" mb="md">
        {lead}
      </Text>
      {problem && <Refusal problem={problem} text={errors[problem.status]} />}
      {children}
      <Button type="submit" fullWidth loading={isBusy}>
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
