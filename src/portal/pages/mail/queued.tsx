import { Alert } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { Problem } from '../../api/problem.ts'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { mailTexts } from '../../texts/pages/mail.ts'

/** Result of queueing a mail: confirmation or error. */
export function Queued({ sending }: { sending: Pick<UseMutationResult<unknown, Problem>, 'data' | 'error'> }) {
  const texts = useTexts(mailTexts)
  return (
    <>
      {sending.error && <ProblemBox problem={sending.error} />}
      {sending.data !== undefined && (
        <Alert variant="outline" mt="xs" role="status">
          {texts.queued} <Link href="/mail">{texts.see}</Link>
        </Alert>
      )}
    </>
  )
}
