import { Alert, Button, Code, Group, Text } from '@mantine/core'
import type { Problem } from '../../api/problem.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { fieldInFrench, problemInFrench } from '../../texts/messages/problems.ts'
import { common } from '../../texts/pages/common.ts'
import { ApiText } from '../display/api-text.tsx'

/** Error message: what happened, what to do, and the request id for the log. */
export function ProblemBox({ problem, retry }: { problem: Problem; retry?: () => void }) {
  const texts = useTexts(common)
  const { title, hint } = explain(problem, texts.problem)
  return (
    <Alert color="red" variant="outline" title={title} role="alert" className="problem">
      {hint && <Text size="sm">{hint}</Text>}
      {isTelling(problem) && (
        <Text size="sm">
          <ApiText text={problem.message} french={problemInFrench} />
        </Text>
      )}
      {problem.fields.map(({ field, message }) => (
        <Text size="sm" key={`${field} ${message}`}>
          <Code>{field}</Code> <ApiText text={message} french={fieldInFrench} />
        </Text>
      ))}
      <Group mt="xs" gap="md">
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {texts.retry}
          </Button>
        )}
        {problem.requestId && (
          <Text size="xs">
            {texts.requestId} <Code>{problem.requestId}</Code>
          </Text>
        )}
      </Group>
    </Alert>
  )
}

type ProblemTexts = ReturnType<typeof useTexts<(typeof common)['en']>>['problem']

function explain({ status, isUnreachable, reason }: Problem, texts: ProblemTexts): { title: string; hint?: string } {
  if (isUnreachable) return { title: texts.offline, hint: texts.offlineHint }
  if (status === 403 && reason !== null) return { title: texts.refused }
  if (status === 403) return { title: texts.forbidden, hint: texts.forbiddenHint }
  if (status === 404) return { title: texts.missing, hint: texts.missingHint }
  if (status >= 500) return { title: texts.ours, hint: texts.oursHint }
  return { title: texts.refused }
}

function isTelling({ status, message, reason }: Problem): boolean {
  return status >= 400 && status < 500 && (status !== 403 || reason !== null) && message !== ''
}
