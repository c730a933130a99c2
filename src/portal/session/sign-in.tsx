import { Alert, Button, Group, PasswordInput, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Problem } from '../api/problem.ts'
import { completeSignIn, signIn } from '../api/session.ts'
import { ProblemBox } from '../parts/problem-box.tsx'
import { useTexts } from '../texts/language/language.tsx'
import { newPasswordTexts } from '../texts/pages/new-password.ts'
import { signInTexts } from '../texts/pages/sign-in.ts'
import { DoorBox } from './door-box.tsx'
import { ForgottenPassword } from './new-password.tsx'

/** Address and password, then the second step where the account has one. */
export function SignIn() {
  const texts = useTexts(signInTexts)
  const [challenge, setChallenge] = useState<string | null>(null)
  const [isForgotten, setIsForgotten] = useState(false)
  useEffect(() => {
    document.title = `${texts.title} · Countinghouse`
  }, [texts])
  return (
    <DoorBox>
      {isForgotten ? (
        <ForgottenPassword onBack={() => setIsForgotten(false)} />
      ) : challenge === null ? (
        <FirstStep onChallenge={setChallenge} onForgotten={() => setIsForgotten(true)} />
      ) : (
        <SecondStep challenge={challenge} onBack={() => setChallenge(null)} />
      )}
    </DoorBox>
  )
}

/** Runs a step and keeps why it failed. */
function useStep(work: (form: FormData) => Promise<void>) {
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setIsBusy(true)
    setProblem(null)
    try {
      await work(new FormData(event.currentTarget))
    } catch (error) {
      setProblem(error instanceof Problem ? error : new Problem(0, String(error)))
    } finally {
      setIsBusy(false)
    }
  }
  return { isBusy, problem, submit }
}

function FirstStep({ onChallenge, onForgotten }: { onChallenge(challenge: string): void; onForgotten(): void }) {
  const texts = useTexts(signInTexts)
  const resets = useTexts(newPasswordTexts)
  const { isBusy, problem, submit } = useStep(async (form) => {
    const challenge = await signIn(String(form.get('email')), String(form.get('password')))
    if (challenge !== null) onChallenge(challenge)
  })
  return (
    <form onSubmit={submit}>
      <Title order={1} size="h2">
        {texts.title}
      </Title>
      <Text c="dimmed" mb="md">
        {texts.lead}
      </Text>
      <Refusal problem={problem} wrong={texts.wrong} />
      <TextInput name="email" type="email" label={texts.email} autoComplete="username" required withAsterisk={false} mb="sm" />
      <PasswordInput name="password" label={texts.password} autoComplete="current-password" required withAsterisk={false} mb="md" />
      <Button type="submit" fullWidth loading={isBusy}>
        {texts.enter}
      </Button>
      <Button variant="default" size="xs" mt="sm" onClick={onForgotten}>
        {resets.forgotten}
      </Button>
      <Text size="xs" c="dimmed" mt="md">
        {texts.help}
      </Text>
    </form>
  )
}

function SecondStep({ challenge, onBack }: { challenge: string; onBack(): void }) {
  const texts = useTexts(signInTexts)
  const [isRecovery, setIsRecovery] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const { isBusy, problem, submit } = useStep(async (form) => {
    const proof = String(form.get('proof')).trim()
    await completeSignIn(challenge, isRecovery ? { recoveryCode: proof } : { code: proof.replaceAll(' ', '') })
  })
  return (
    <form onSubmit={submit}>
      <Title order={1} size="h2" ref={heading} tabIndex={-1}>
        {texts.secondTitle}
      </Title>
      <Text c="dimmed" mb="md">
        {isRecovery ? texts.recoveryLead : texts.secondLead}
      </Text>
      <Refusal problem={problem} wrong={texts.wrongCode} />
      <TextInput
        key={String(isRecovery)}
        name="proof"
        label={isRecovery ? texts.recovery : texts.code}
        autoComplete="one-time-code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        required
        withAsterisk={false}
        mb="md"
      />
      <Button type="submit" fullWidth loading={isBusy}>
        {texts.confirm}
      </Button>
      <Group mt="sm" gap="xs">
        <Button variant="default" size="xs" onClick={() => setIsRecovery(!isRecovery)}>
          {isRecovery ? texts.useCode : texts.useRecovery}
        </Button>
        <Button variant="default" size="xs" onClick={onBack}>
          {texts.back}
        </Button>
      </Group>
    </form>
  )
}

function Refusal({ problem, wrong }: { problem: Problem | null; wrong: string }) {
  const texts = useTexts(signInTexts)
  if (problem === null) return null
  const known = problem.status === 401 || problem.status === 400 ? wrong : problem.status === 429 ? texts.tooMany : null
  if (known === null) return <ProblemBox problem={problem} />
  return (
    <Alert color="red" variant="outline" role="alert" mb="sm" className="problem">
      {known}
    </Alert>
  )
}
