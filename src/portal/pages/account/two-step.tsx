import { Button, Checkbox, Code, Group, Modal, PasswordInput, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { RecoveryCodes, TwoStepSecret, TwoStepState } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answer.tsx'
import { CopyButton } from '../../parts/copy.tsx'
import { Section } from '../../parts/page.tsx'
import { ProblemBox } from '../../parts/problem-box.tsx'
import { Qr } from '../../parts/qr.tsx'
import { onSubmit } from '../../parts/save-form.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { accountTexts } from '../../texts/pages/account.ts'

/** Two-step login: on, off, and the recovery codes. */
export function TwoStep() {
  const texts = useTexts(accountTexts)
  const state = useRead<TwoStepState>('/auth/two-step/setup')
  const [codes, setCodes] = useState<string[] | null>(null)
  return (
    <Section title={texts.twoStep}>
      <Answer read={state} lines={2}>
        {({ enabled, recoveryCodesLeft }) => (
          <>
            <Text mb="sm" maw={640}>
              {enabled ? texts.twoStepOn(recoveryCodesLeft) : texts.twoStepOff}
            </Text>
            {enabled ? <TwoStepEnabled onCodes={setCodes} /> : <TwoStepSetUp onCodes={setCodes} />}
          </>
        )}
      </Answer>
      <Modal
        opened={codes !== null}
        onClose={() => setCodes(null)}
        title={texts.codesTitle}
        closeOnClickOutside={false}
        closeOnEscape={false}
      >
        <Text size="sm">{texts.codesLead}</Text>
        <Code block my="sm" tabIndex={0}>
          {codes?.join('\n') ?? ''}
        </Code>
        <Group>
          <CopyButton text={codes?.join('\n') ?? ''} />
          <Button size="xs" onClick={() => setCodes(null)}>
            {texts.kept}
          </Button>
        </Group>
      </Modal>
    </Section>
  )
}

function TwoStepSetUp({ onCodes }: { onCodes(codes: string[]): void }) {
  const texts = useTexts(accountTexts)
  const begin = useChange<{ password: string }, TwoStepSecret>((body) => ({ method: 'POST', path: '/auth/two-step/setup', body }))
  const confirm = useChange<{ code: string; endOtherSessions: boolean }, RecoveryCodes>(
    (body) => ({ method: 'POST', path: '/auth/two-step/setup/confirm', body }),
    ({ recoveryCodes }) => onCodes(recoveryCodes),
  )
  if (!begin.data) {
    return (
      <form className="narrow" onSubmit={onSubmit((given) => begin.mutate({ password: String(given.get('password')) }))}>
        <PasswordInput name="password" label={texts.password} autoComplete="current-password" required withAsterisk={false} mb="sm" />
        {begin.error && <ProblemBox problem={begin.error} />}
        <Button type="submit" loading={begin.isPending}>
          {texts.setUp}
        </Button>
      </form>
    )
  }
  const { secret, otpauthUrl } = begin.data
  const send = (given: FormData) =>
    confirm.mutate({ code: String(given.get('code')).replaceAll(' ', ''), endOtherSessions: given.get('others') === 'on' })
  return (
    <form className="narrow" onSubmit={onSubmit(send)}>
      <Text size="sm" mb="xs">
        {texts.scan}
      </Text>
      <Qr text={otpauthUrl} label={texts.qr} />
      <Text size="sm" mt="xs">
        {texts.typeIn} <Code className="words">{secret}</Code>
      </Text>
      <TextInput name="code" label={texts.code} inputMode="numeric" autoComplete="one-time-code" required withAsterisk={false} my="sm" />
      <Checkbox name="others" label={texts.others} mb="sm" />
      {confirm.error && <ProblemBox problem={confirm.error} />}
      <Button type="submit" loading={confirm.isPending}>
        {texts.turnOn}
      </Button>
    </form>
  )
}

function TwoStepEnabled({ onCodes }: { onCodes(codes: string[]): void }) {
  const texts = useTexts(accountTexts)
  const [act, setAct] = useState<'disable' | 'recovery-codes'>('recovery-codes')
  const change = useChange<Record<string, string>, RecoveryCodes | null>(
    (body) => ({ method: 'POST', path: `/auth/two-step/${act}`, body }),
    (answer) => answer && onCodes(answer.recoveryCodes),
  )
  const send = (given: FormData) => {
    const proof = String(given.get('proof')).trim()
    const isCode = /^\d{6}$/.test(proof.replaceAll(' ', ''))
    change.mutate({
      password: String(given.get('password')),
      ...(isCode ? { code: proof.replaceAll(' ', '') } : { recoveryCode: proof }),
    })
  }
  return (
    <form className="narrow" onSubmit={onSubmit(send)}>
      <PasswordInput name="password" label={texts.password} autoComplete="current-password" required withAsterisk={false} mb="sm" />
      <TextInput name="proof" label={texts.proofCode} autoComplete="one-time-code" required withAsterisk={false} mb="sm" />
      {change.error && <ProblemBox problem={change.error} />}
      <Group>
        <Button type="submit" variant="default" loading={change.isPending} onClick={() => setAct('recovery-codes')}>
          {texts.renewCodes}
        </Button>
        <Button type="submit" variant="default" className="danger" loading={change.isPending} onClick={() => setAct('disable')}>
          {texts.turnOff}
        </Button>
      </Group>
    </form>
  )
}
