import { Group, Text } from '@mantine/core'
import type { User } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { memberTexts } from '../../texts/pages/members.ts'

/** Ends the sessions of another member, and takes a lost second step away. */
export function MemberAccess({ user }: { user: User }) {
  const texts = useTexts(memberTexts)
  const end = useChange<string>((id) => ({ method: 'DELETE', path: `/users/${id}/sessions` }))
  const reset = useChange<string>((id) => ({ method: 'DELETE', path: `/users/${id}/two-step` }))
  return (
    <div className="card">
      <Group gap="sm">
        <Confirm
          label={texts.endSessions}
          title={texts.endSessions}
          question={texts.endSessionsQuestion}
          isDangerous
          {...end.toConfirm(user.id)}
        />
        {user.twoStepVerify && !reset.isSuccess && (
          <Confirm
            label={texts.resetTwoStep}
            title={texts.resetTwoStep}
            question={texts.resetTwoStepQuestion}
            isDangerous
            {...reset.toConfirm(user.id)}
          />
        )}
      </Group>
      <Text size="sm" role="status" mt="xs">
        {reset.isSuccess ? texts.twoStepWasReset : end.isSuccess ? texts.sessionsEnded : ''}
      </Text>
    </div>
  )
}
