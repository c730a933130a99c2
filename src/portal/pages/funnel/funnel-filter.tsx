import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import type { FunnelCount } from '../../api/generated/types.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { funnelTexts } from '../../texts/pages/funnel.ts'

const NAMES = ['from', 'to', 'source', 'language', 'place'] as const
/** While a year is being typed, a date field reports the years 2, 20 and 202. */
const DAY = /^20\d{2}-\d{2}-\d{2}$/
const SELECT_WIDTH = 240

/** Filter of the funnel, kept in the address. */
export function useFunnelFilter() {
  const [params, setParams] = useSearchParams()
  const text = (name: string) => (params.get(name) ?? '').slice(0, 100)
  const day = (name: string) => (DAY.test(text(name)) ? text(name) : null)
  const change = (changed: Record<string, string>) =>
    setParams(
      (before) => {
        const kept = [...before].filter(([name]) => name !== 'days' && !(name in changed))
        return new URLSearchParams([...kept, ...Object.entries(changed).filter(([, value]) => value !== '')])
      },
      { replace: true },
    )
  const fits = ({ source, language, isFramed }: FunnelCount) =>
    ['', source].includes(text('source')) &&
    ['', language].includes(text('language')) &&
    ['', nameFraming(isFramed)].includes(text('place'))
  return { text, change, fits, from: day('from'), to: day('to'), isOn: NAMES.some((name) => params.has(name)) }
}

export function nameFraming(isFramed: boolean): 'framed' | 'top' {
  return isFramed ? 'framed' : 'top'
}

interface Option {
  value: string
  label: string
}

/** `sources`: those with counts in the funnel. */
export function FunnelFilter({ text, change, isOn, sources }: ReturnType<typeof useFunnelFilter> & { sources: readonly Option[] }) {
  const texts = useTexts(funnelTexts)
  // Key that remounts the fields when they are cleared.
  const [round, setRound] = useState(0)
  const chosen = text('source')
  const known = chosen === '' || sources.some(({ value }) => value === chosen) ? sources : [...sources, { value: chosen, label: chosen }]
  const selects = [
    ['source', known],
    ['language', Object.entries(texts.languages).map(([value, label]) => ({ value, label }))],
    ['place', Object.entries(texts.places).map(([value, label]) => ({ value, label }))],
  ] as const
  return (
    <div key={round} className="filter-bar">
      <Group align="flex-end" gap="sm">
        {(['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            label={texts[name]}
            defaultValue={text(name)}
            onChange={(event) => change({ [name]: event.currentTarget.value })}
          />
        ))}
        {selects.map(([name, options]) => (
          <NativeSelect
            key={name}
            label={texts[name]}
            value={text(name)}
            onChange={(event) => change({ [name]: event.currentTarget.value })}
            data={[{ value: '', label: texts.all }, ...options]}
            w={SELECT_WIDTH}
            maw="100%"
          />
        ))}
        {isOn && (
          <Button
            variant="default"
            onClick={() => {
              change(Object.fromEntries(NAMES.map((name) => [name, ''])))
              setRound(round + 1)
            }}
          >
            {texts.clear}
          </Button>
        )}
      </Group>
    </div>
  )
}
