import { Text } from '@mantine/core'
import { type InstanceSignIn, useOperatorChange, useOperatorRead } from '../api/operator.ts'
import { Answer } from '../parts/answers/answer.tsx'
import { Confirm } from '../parts/dialogs/confirm.tsx'
import { UserText } from '../parts/display/user-text.tsx'
import { Section } from '../parts/layout/page.tsx'
import { useTexts } from '../texts/language/language.tsx'
import { operatorTexts } from '../texts/pages/operator.ts'

/** How members of the instance sign in, and the way out when their identity provider cannot be used. */
export function SignInOfInstance({ instanceId }: { instanceId: string }) {
  const texts = useTexts(operatorTexts)
  const signIn = useOperatorRead<InstanceSignIn>(`/instances/${instanceId}/sign-in`)
  const allow = useOperatorChange<null>(() => ({ method: 'POST', path: `/instances/${instanceId}/allow-passwords` }))
  return (
    <Section title={texts.signIn}>
      <Answer read={signIn} lines={2}>
        {({ issuer, isRequired }) => (
          <>
            <Text size="sm" mb="sm" maw={720}>
              {issuer === null ? texts.passwordsOnly : <UserText most={200}>{issuer}</UserText>}
              {issuer !== null && ` · ${isRequired ? texts.providerRequired : texts.providerOffered}`}
            </Text>
            {isRequired && (
              <Confirm
                label={texts.allowPasswords}
                title={texts.allowPasswords}
                question={texts.allowPasswordsLead}
                isBusy={allow.isPending}
                problem={allow.error}
                onConfirm={(done) => allow.mutate(null, { onSuccess: done })}
              />
            )}
          </>
        )}
      </Answer>
    </Section>
  )
}
