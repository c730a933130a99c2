import { Text } from '@mantine/core'
import type { Simulator } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { SearchField, useSearchWords } from '../../parts/forms/search-field.tsx'
import { Empty, Page } from '../../parts/layout/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { sandboxTexts } from '../../texts/pages/operation.ts'
import { SimulatorCard } from './simulator-card.tsx'

export function SandboxPage() {
  const texts = useTexts(sandboxTexts)
  const words = useSearchWords()
  const simulators = useRead<Simulator[]>('/sandbox/simulators')
  const fits = ({ key }: Simulator) => key.includes(words.toLowerCase())
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Text size="sm" mb="md">
        {texts.hint}
      </Text>
      <SearchField label={texts.find} maw={420} />
      <Answer read={simulators} lines={8}>
        {(all) =>
          all.filter(fits).length === 0 ? (
            <Empty title={texts.none}>{texts.noneHint}</Empty>
          ) : (
            <ul className="cards">
              {all.filter(fits).map((simulator) => (
                <SimulatorCard key={simulator.key} simulator={simulator} />
              ))}
            </ul>
          )
        }
      </Answer>
    </Page>
  )
}
