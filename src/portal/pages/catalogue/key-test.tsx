import { Box, Button, Group, Text } from '@mantine/core'
import type { Source, TestedKeys } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Foreign } from '../../parts/foreign.tsx'
import { ProblemBox } from '../../parts/problem-box.tsx'
import { Mark } from '../../parts/status.tsx'
import { When } from '../../parts/words.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { keyAnswerInFrench } from '../../texts/messages/key-answers.ts'
import { sourceTexts } from '../../texts/pages/sources.ts'

const HEALTH = { accepted: 'good', refused: 'bad', untested: 'idle' } as const

/** What the source said last about the keys that are set; to be asked again, or deleted. */
export function KeyTest({ source, tested }: { source: Source; tested: NonNullable<Source['tested']> }) {
  const texts = useTexts(sourceTexts)
  const test = useChange<void, TestedKeys>(() => ({ method: 'POST', path: `/sources/${source.key}/keys/test` }))
  const remove = useChange<void>(() => ({ method: 'DELETE', path: `/sources/${source.key}/keys` }))
  return (
    <Box className="card" mb="md">
      <Mark health={HEALTH[tested.result]}>{texts.result[tested.result]}</Mark>
      {tested.reason !== '' && (
        <Text size="sm">
          <Foreign text={tested.reason} french={keyAnswerInFrench} />
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
