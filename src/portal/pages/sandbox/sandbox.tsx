import { Text, TextInput } from '@mantine/core'
import { useSearchParams } from 'wouter'
import type { Simulator } from '../../api/generated/types.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answer.tsx'
import { Empty, Page } from '../../parts/page.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { sandboxTexts } from '../../texts/pages/operation.ts'
import { SimulatorCard } from './simulator-card.tsx'

export function SandboxPage() {
  const texts = useTexts(sandboxTexts)
  const [params, setParams] = useSearchParams()
  const words = params.get('search') ?? ''
  const simulators = useRead<Simulator[]>('/sandbox/simulators')
  const fits = ({ key }: Simulator) => key.includes(words.toLowerCase())
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Text size="sm" mb="md">
        {texts.hint}
      </Text>
      <TextInput
        type="search"
        aria-label={texts.find}
        placeholder={texts.find}
        value={words}
        onChange={(event) => setParams(event.currentTarget.value === '' ? {} : { search: event.currentTarget.value }, { replace: true })}
        maw={420}
        mb="md"
      />
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
