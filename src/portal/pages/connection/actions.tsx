import { Button } from '@mantine/core'
import type { ConnectionDetail } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { connectionTexts } from '../../texts/pages/connection.ts'
import { type ConnectionKey, connectionPath } from './paths.ts'

const DISCONNECTED = 26
const SUSPENDED = 27

export function Actions({ connectionKey, connection }: { connectionKey: ConnectionKey; connection: ConnectionDetail }) {
  const texts = useTexts(connectionTexts)
  const path = connectionPath(connectionKey)
  const refresh = useChange<void>(() => ({ method: 'POST', path: `${path}/refresh` }))
  const resume = useChange<void>(() => ({ method: 'POST', path: `${path}/resume` }))
  const suspend = useChange<void>(() => ({ method: 'POST', path: `${path}/suspend` }))
  const disconnect = useChange<void>(() => ({ method: 'DELETE', path }))
  if (connection.statusCode === DISCONNECTED) return null
  const isSuspended = connection.statusCode === SUSPENDED
  const problem = refresh.error ?? resume.error
  return (
    <>
      {isSuspended ? (
        <Button size="xs" loading={resume.isPending} onClick={() => resume.mutate()}>
          {texts.resume}
        </Button>
      ) : (
        <>
          <Button size="xs" loading={refresh.isPending} onClick={() => refresh.mutate()}>
            {texts.read}
          </Button>
          <Confirm label={texts.suspend} title={texts.suspendTitle} question={texts.suspendQuestion} {...suspend.toConfirm()} />
        </>
      )}
      <Confirm
        label={texts.disconnect}
        title={texts.disconnectTitle}
        question={texts.disconnectQuestion}
        isDangerous
        {...disconnect.toConfirm()}
      />
      {problem && <ProblemBox problem={problem} />}
    </>
  )
}
