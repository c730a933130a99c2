import { Button, PasswordInput, Text } from '@mantine/core'
import type { Whoami } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { Facts } from '../../parts/display/facts.tsx'
import { UserText } from '../../parts/display/user-text.tsx'
import { onSubmit } from '../../parts/forms/save-form.tsx'
import { useSaveState } from '../../parts/forms/save-state.ts'
import { Page, Section } from '../../parts/layout/page.tsx'
import { accountTexts } from '../../texts/account/account.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { memberTexts } from '../../texts/pages/members.ts'
import { Sessions } from './sessions.tsx'
import { TwoStep } from './two-step.tsx'

export function AccountPage() {
  const texts = useTexts(accountTexts)
  const me = useRead<Whoami>('/auth/me')
  return (
    <Page title={texts.title}>
      <Answer read={me}>{(known) => <AccountFacts me={known} />}</Answer>
      {!me.isPending && (
        <>
          <Password />
          <TwoStep />
          <Sessions />
        </>
      )}
    </Page>
  )
}

function AccountFacts({ me }: { me: Whoami }) {
  const texts = useTexts(accountTexts)
  const { roles } = useTexts(memberTexts)
  return (
    <Facts
      facts={[
        { name: texts.name, value: <UserText>{me.name}</UserText> },
        { name: texts.email, value: <UserText>{me.email}</UserText> },
        { name: texts.role, value: <UserText>{roles[me.role]}</UserText> },
        { name: texts.instance, value: <UserText>{me.instanceName ?? ''}</UserText> },
        { name: texts.instanceId, value: <UserText>{me.instanceId}</UserText> },
      ]}
    />
  )
}

function Password() {
  const texts = useTexts(accountTexts)
  const words = useTexts(common)
  const { saved, begin, edit, end } = useSaveState()
  const change = useChange<{ password: string; newPassword: string }>((body) => ({ method: 'POST', path: '/auth/password', body }), end)
  const save = (given: FormData, form: HTMLFormElement) => {
    begin(form)
    change.mutate({ password: String(given.get('password')), newPassword: String(given.get('newPassword')) })
  }
  return (
    <Section title={texts.changePassword}>
      <form onSubmit={onSubmit(save)} onChange={edit} className="narrow">
        <PasswordInput name="password" label={texts.password} autoComplete="current-password" required withAsterisk={false} mb="sm" />
        <PasswordInput
          name="newPassword"
          label={texts.newPassword}
          autoComplete="new-password"
          minLength={8}
          required
          withAsterisk={false}
          mb="sm"
        />
        {change.error && <ProblemBox problem={change.error} />}
        <Button type="submit" variant="default" loading={change.isPending}>
          {texts.changePassword}
        </Button>
        <Text size="sm" role="status" mt="xs">
          {saved === 'all' ? texts.changed : saved && words.notWhatCameSince}
        </Text>
      </form>
    </Section>
  )
}
