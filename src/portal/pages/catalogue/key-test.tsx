import { Box, Button, Group, Text } from '@mantine/core'
import type { Source, TestedKeys } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { ApiText } from '../../parts/display/api-text.tsx'
import { Mark } from '../../parts/display/status.tsx'
import { When } from '../../parts/display/user-text.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { keyAnswerInFrench } from '../../texts/messages/key-answers.ts'
import { sourceTexts } from '../../texts/pages/sources.ts'

const HEALTH = { accepted: 'good', refused: 'bad', untested: 'idle' } as const

/** Last test of the saved keys, with buttons to test again and to delete them. */
export function KeyTest({ source, tested }: { source: Source; tested: NonNullable<Source['tested']> }) {
  const texts = useTexts(sourceTexts)
  const test = useChange<void, TestedKeys>(() => ({ method: 'POST', path: `/sources/${source.key}/keys/test` }))
  const remove = useChange<void>(() => ({ method: 'DELETE', path: `/sources/${source.key}/keys` }))
  return (
    <Box className="card" mb="md">
      <Mark health={HEALTH[tested.result]}>{texts.result[tested.result]}</Mark>
      {tested.reason !== '' && (
        <Text size="sm">
          <ApiText text={tested.reason} french={keyAnswerInFrench} />
        </Text>
      )}
      <Text size="sm">
        {texts.lastTest} <When at={tested.on} />
      </Text>
      {test.error && <ProblemBox problem={test.error} />}
      <Group mt="xs">
        <Button size="xs" variant="default" loading={test.isPending} onClick={() => test.mutate()}>
          {texts.testAgain}
        </Button>
        <Confirm
          label={texts.remove}
          title={texts.removeTitle}
          question={texts.removeQuestion(source.connections)}
          isDangerous
          {...remove.toConfirm()}
        />
      </Group>
    </Box>
  )
}
