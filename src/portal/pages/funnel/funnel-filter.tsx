import { NativeSelect } from '@mantine/core'
import type { FunnelCount } from '../../api/generated/types.ts'
import { AddressFilter, DayFields, useAddressFilter } from '../../parts/forms/address-filter.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { funnelTexts } from '../../texts/pages/funnel.ts'

const NAMES = ['from', 'to', 'source', 'language', 'place'] as const
/** While a year is being typed, a date field reports the years 2, 20 and 202. */
const DAY = /^20\d{2}-\d{2}-\d{2}$/
const SELECT_WIDTH = 240

/** Filter of the funnel, kept in the address. */
export function useFunnelFilter() {
  const { textOf, ...filter } = useAddressFilter(NAMES, 'days')
  const text = (name: string) => textOf(name).slice(0, 100)
  const day = (name: string) => (DAY.test(text(name)) ? text(name) : null)
  const fits = ({ source, language, isFramed }: FunnelCount) =>
    ['', source].includes(text('source')) &&
    ['', language].includes(text('language')) &&
    ['', nameFraming(isFramed)].includes(text('place'))
  return { ...filter, text, fits, from: day('from'), to: day('to') }
}

export function nameFraming(isFramed: boolean): 'framed' | 'top' {
  return isFramed ? 'framed' : 'top'
}

interface Option {
  value: string
  label: string
}

/** `sources`: those with counts in the funnel. */
export function FunnelFilter({ text, change, isOn, clear, sources }: ReturnType<typeof useFunnelFilter> & { sources: readonly Option[] }) {
  const texts = useTexts(funnelTexts)
  const chosen = text('source')
  const known = chosen === '' || sources.some(({ value }) => value === chosen) ? sources : [...sources, { value: chosen, label: chosen }]
  const selects = [
    ['source', known],
    ['language', Object.entries(texts.languages).map(([value, label]) => ({ value, label }))],
    ['place', Object.entries(texts.places).map(([value, label]) => ({ value, label }))],
  ] as const
  return (
    <AddressFilter isOn={isOn} clear={clear} clearLabel={texts.clear}>
      <DayFields labels={texts} days={{ from: text('from'), to: text('to') }} change={change} />
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
    </AddressFilter>
  )
}
