import { Button, Checkbox, Code, Group, Modal, PasswordInput, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { PasskeyRequest, RecoveryCodes, TwoStepSecret, TwoStepState } from '../../api/generated/types.ts'
import { askPasskey } from '../../api/passkeys.ts'
import type { Problem } from '../../api/problem.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { toSecondStep } from '../../api/session.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { CopyButton } from '../../parts/display/copy.tsx'
import { Qr } from '../../parts/display/qr.tsx'
import { onSubmit } from '../../parts/forms/save-form.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { accountTexts } from '../../texts/account/account.ts'
import { passkeyTexts } from '../../texts/account/passkeys.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { Passkeys } from './passkeys.tsx'

/** Two-step login: on, off, and the recovery codes. `onKept`: called once new codes have been kept. */
export function TwoStep({ onKept }: { onKept?: () => void }) {
  const texts = useTexts(accountTexts)
  const state = useRead<TwoStepState>('/auth/two-step/setup')
  const [codes, setCodes] = useState<string[] | null>(null)
  const keep = () => {
    setCodes(null)
    onKept?.()
  }
  return (
    <Section title={texts.twoStep}>
      <Answer read={state} lines={2}>
        {({ enabled, hasApp, passkeys, isRequired, recoveryCodesLeft }) => (
          <>
            <Text mb="sm" maw={640}>
              {enabled ? texts.twoStepOn(recoveryCodesLeft) : texts.twoStepOff} {isRequired && texts.isRequired}
            </Text>
            {hasApp ? <TwoStepEnabled isRequired={isRequired && passkeys === 0} onCodes={setCodes} /> : <TwoStepSetUp onCodes={setCodes} />}
            {enabled && !hasApp && <PasskeyCodes onCodes={setCodes} />}
            <Passkeys onCodes={setCodes} />
          </>
        )}
      </Answer>
      <Modal opened={codes !== null} onClose={keep} title={texts.codesTitle} closeOnClickOutside={false} closeOnEscape={false}>
        <Text size="sm">{texts.codesLead}</Text>
        <Code block my="sm" tabIndex={0}>
          {codes?.join('\n') ?? ''}
        </Code>
        <Group>
          <CopyButton text={codes?.join('\n') ?? ''} />
          <Button size="xs" onClick={keep}>
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

function TwoStepEnabled({ isRequired, onCodes }: { isRequired: boolean; onCodes(codes: string[]): void }) {
  const texts = useTexts(accountTexts)
  const [act, setAct] = useState<'disable' | 'recovery-codes'>('recovery-codes')
  const change = useChange<Record<string, string>, RecoveryCodes | null>(
    (body) => ({ method: 'POST', path: `/auth/two-step/${act}`, body }),
    (answer) => answer && onCodes(answer.recoveryCodes),
  )
  const send = (given: FormData) => {
    change.mutate({ password: String(given.get('password')), ...toSecondStep(String(given.get('proof'))) })
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
        {!isRequired && (
          <Button type="submit" variant="default" className="danger" loading={change.isPending} onClick={() => setAct('disable')}>
            {texts.turnOff}
          </Button>
        )}
      </Group>
    </form>
  )
}

/** New recovery codes of an account without an authenticator app: proven by password and passkey. */
function PasskeyCodes({ onCodes }: { onCodes(codes: string[]): void }) {
  const texts = useTexts(accountTexts)
  const words = useTexts(passkeyTexts)
  const client = useQueryClient()
  const renewal = useMutation<RecoveryCodes, Problem, string>({
    mutationFn: async (password) => {
      const options = await call<PasskeyRequest>('/auth/proof/passkey', { method: 'POST', body: {} })
      const body = { password, passkey: await askPasskey(options) }
      return await call<RecoveryCodes>('/auth/two-step/recovery-codes', { method: 'POST', body })
    },
    onSuccess: async ({ recoveryCodes }) => {
      onCodes(recoveryCodes)
      await client.invalidateQueries()
    },
  })
  return (
    <form className="narrow" onSubmit={onSubmit((given) => renewal.mutate(String(given.get('ownPassword'))))}>
      <PasswordInput name="ownPassword" label={texts.password} autoComplete="current-password" required withAsterisk={false} my="sm" />
      {renewal.error && <ProblemBox problem={renewal.error} />}
      <Button type="submit" variant="default" loading={renewal.isPending} aria-description={words.use}>
        {texts.renewCodes}
      </Button>
    </form>
  )
}
