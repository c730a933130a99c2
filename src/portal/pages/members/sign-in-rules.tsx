import { Text } from '@mantine/core'
import type { SignInRules } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { memberTexts } from '../../texts/pages/members.ts'

/** Whether the instance requires a second step of its members. */
export function SignInRulesSection() {
  const texts = useTexts(memberTexts)
  const rules = useRead<SignInRules>('/instance/sign-in-rules')
  const change = useChange<boolean>((requiresTwoStep) => ({
    method: 'PUT',
    path: '/instance/sign-in-rules',
    body: { requiresTwoStep },
  }))
  return (
    <Section title={texts.rules}>
      <Answer read={rules} lines={2}>
        {({ requiresTwoStep, membersWithoutTwoStep }) => (
          <>
            <Text mb="sm" maw={640}>
              {requiresTwoStep ? texts.required : texts.notRequired} {texts.without(membersWithoutTwoStep)}
            </Text>
            <Confirm
              label={requiresTwoStep ? texts.requireNoMore : texts.require}
              title={requiresTwoStep ? texts.requireNoMore : texts.require}
              question={requiresTwoStep ? texts.requireNoMoreQuestion : texts.requireQuestion}
              isDangerous={requiresTwoStep}
              {...change.toConfirm(!requiresTwoStep)}
            />
          </>
        )}
      </Answer>
    </Section>
  )
}
