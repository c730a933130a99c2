import { Button, Group, NativeSelect, PasswordInput, Text } from '@mantine/core'
import { useState } from 'react'
import type { MailSettings, User } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { useLanguage, useTexts } from '../../texts/language/language.tsx'
import { memberTexts } from '../../texts/pages/members.ts'

const METHODS = ['invite', 'password'] as const

/** First sign-in of a new member: a mailed invitation, which proves the address, or a password set by the admin. */
export function SignInMethod() {
  const settings = useRead<MailSettings>('/mail-settings')
  return (
    <Answer read={settings} lines={2}>
      {({ canSend }) => <MethodChoice canSend={canSend} />}
    </Answer>
  )
}

function MethodChoice({ canSend }: { canSend: boolean }) {
  const texts = useTexts(memberTexts)
  const [way, setWay] = useState<string>(canSend ? 'invite' : 'password')
  return (
    <>
      {canSend ? (
        <NativeSelect
          label={texts.way}
          description={way === 'invite' ? texts.inviteHint : undefined}
          value={way}
          onChange={(event) => setWay(event.currentTarget.value)}
          data={METHODS.map((value) => ({ value, label: texts.ways[value] }))}
          mb="sm"
        />
      ) : (
        <Text size="sm" c="dimmed" mb="sm">
          {texts.noServer}
        </Text>
      )}
      {way === 'invite' ? (
        <MailLanguage />
      ) : (
        <PasswordInput name="password" label={texts.password} autoComplete="new-password" minLength={8} required mb="sm" />
      )}
    </>
  )
}

function MailLanguage({ onChange }: { onChange?: (language: string) => void }) {
  const texts = useTexts(memberTexts)
  const { language } = useLanguage()
  return (
    <NativeSelect
      name="language"
      label={texts.mailLanguage}
      defaultValue={language}
      onChange={(event) => onChange?.(event.currentTarget.value)}
      data={[
        { value: 'en', label: texts.languages.en },
        { value: 'fr', label: texts.languages.fr },
      ]}
      mb="sm"
    />
  )
}

/** Mails an invitation to a member whose address is not proven. */
export function Invite({ user }: { user: User }) {
  const texts = useTexts(memberTexts)
  const { language } = useLanguage()
  const [spoken, setSpoken] = useState<string>(language)
  const invite = useChange<string>((wanted) => ({ method: 'POST', path: `/users/${user.id}/invitation`, body: { language: wanted } }))
  return (
    <div className="card">
      <Text size="sm" mb="xs">
        {texts.unprovenLead}
      </Text>
      <Group align="flex-end" gap="sm">
        <MailLanguage onChange={setSpoken} />
        <Button variant="default" mb="sm" loading={invite.isPending} onClick={() => invite.mutate(spoken)}>
          {texts.invite}
        </Button>
      </Group>
      {invite.error && <ProblemBox problem={invite.error} />}
      <Text size="sm" role="status">
        {invite.isSuccess ? texts.invited : ''}
      </Text>
    </div>
  )
}
