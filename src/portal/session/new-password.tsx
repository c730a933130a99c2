import { Alert, Button, PasswordInput, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useEffect, useState } from 'react'
import { Problem, toProblem } from '../api/problem.ts'
import { API } from '../api/session.ts'
import { ProblemBox } from '../parts/problem-box.tsx'
import { useLanguage, useTexts } from '../texts/language/language.tsx'
import { newPasswordTexts } from '../texts/pages/new-password.ts'
import { signInTexts } from '../texts/pages/sign-in.ts'

/** Sends a form without a session; null when it was taken. */
async function post(path: string, body: unknown): Promise<Problem | null> {
  const response = await fetch(`${API}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((error) => new Problem(0, String(error)))
  if (response instanceof Problem) return response
  return response.ok ? null : await toProblem(response)
}

function useForm(send: (form: FormData) => Promise<Problem | null>) {
  const [state, setState] = useState<'open' | 'busy' | 'done'>('open')
  const [problem, setProblem] = useState<Problem | null>(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setState('busy')
    const refused = await send(form)
    setProblem(refused)
    setState(refused ? 'open' : 'done')
  }
  return { state, problem, submit }
}

/** Asks for a link to set a new password. */
export function ForgottenPassword({ onBack }: { onBack(): void }) {
  const texts = useTexts(newPasswordTexts)
  const words = useTexts(signInTexts)
  const { language } = useLanguage()
  const { state, problem, submit } = useForm((form) => post('/auth/forgotten-password', { email: String(form.get('email')), language }))
  if (state === 'done') return <Said title={texts.sentTitle} text={texts.sent} back={texts.back} onBack={onBack} />
  return (
    <form onSubmit={submit}>
      <Title order={1} size="h2">
        {texts.title}
      </Title>
      <Text c="dimmed" mb="md">
        {texts.lead}
      </Text>
      <Refusal problem={problem} />
      <TextInput
        name="email"
        type="email"
        label={words.email}
        autoComplete="username"
        required
        withAsterisk={false}
        mb="md"
        data-autofocus
      />
      <Button type="submit" fullWidth loading={state === 'busy'}>
        {texts.send}
      </Button>
      <Button variant="default" size="xs" mt="sm" onClick={onBack}>
        {texts.back}
      </Button>
    </form>
  )
}

interface NewPasswordProps {
  token: string
  /** Somebody is signed in here, whose password it need not be. */
  isIn: boolean
  onBack(): void
}

/** Sets a new password by the token of a mailed link. */
export function NewPassword({ token, isIn, onBack }: NewPasswordProps) {
  const texts = useTexts(newPasswordTexts)
  const back = isIn ? texts.backIn : texts.back
  useEffect(() => {
    document.title = `${texts.setTitle} · Countinghouse`
  }, [texts])
  const { state, problem, submit } = useForm((form) => post('/auth/new-password', { token, password: String(form.get('password')) }))
  if (state === 'done') return <Said title={texts.done} text={texts.doneLead} back={back} onBack={onBack} />
  return (
    <form onSubmit={submit}>
      <Title order={1} size="h2">
        {texts.setTitle}
      </Title>
      <Text c="dimmed" mb="md">
        {texts.setLead}
      </Text>
      <Refusal problem={problem} />
      <PasswordInput
        name="password"
        label={texts.password}
        description={texts.passwordHint}
        autoComplete="new-password"
        minLength={8}
        required
        withAsterisk={false}
        mb="md"
      />
      <Button type="submit" fullWidth loading={state === 'busy'}>
        {texts.set}
      </Button>
      <Button variant="default" size="xs" mt="sm" onClick={onBack}>
        {back}
      </Button>
    </form>
  )
}

function Said({ title, text, back, onBack }: { title: string; text: string; back: string; onBack(): void }) {
  return (
    <div role="status">
      <Title order={1} size="h2">
        {title}
      </Title>
      <Text mb="md">{text}</Text>
      <Button variant="default" onClick={onBack}>
        {back}
      </Button>
    </div>
  )
}

function Refusal({ problem }: { problem: Problem | null }) {
  const texts = useTexts(newPasswordTexts)
  if (problem === null) return null
  const known: Record<number, string> = { 400: texts.bad, 409: texts.noServer, 429: texts.tooMany }
  const text = known[problem.status]
  if (text === undefined) return <ProblemBox problem={problem} />
  return (
    <Alert color="red" variant="outline" role="alert" mb="sm" className="problem">
      {text}
    </Alert>
  )
}
