import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import type { Problem } from '../../api/problem.ts'
import { AddressFilter, DayFields, useAddressFilter } from '../../parts/forms/address-filter.tsx'
import { onSubmit } from '../../parts/forms/save-form.tsx'
import { useLanguage, useTexts } from '../../texts/language/language.tsx'
import { fieldInFrench } from '../../texts/messages/problems.ts'
import { dataTexts } from '../../texts/pages/data.ts'
import { type DataFilter, isReadable } from './data-filter.ts'

const MAX_SEARCH_LETTERS = 150
const NAMES = ['search', 'status', 'type', 'from', 'to', 'filter']
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Filter of a record list, kept in the address; a change leads to the first page. */
export function useDataFilter() {
  const { textOf: text, ...rest } = useAddressFilter(NAMES, 'page')
  const day = (name: string) => (DAY.test(text(name)) ? text(name) : '')
  const filter: DataFilter = {
    search: text('search').slice(0, MAX_SEARCH_LETTERS),
    status: text('status'),
    type: text('type'),
    from: day('from'),
    to: day('to'),
    expression: isReadable(text('filter')) ? text('filter') : '',
  }
  return { filter, ...rest }
}

interface FilterBarProps extends ReturnType<typeof useDataFilter> {
  searchLabel: string
  /** Choices; the field is hidden if omitted. */
  statuses?: readonly string[]
  types?: readonly string[]
  hasDays?: boolean
  /** Problem of the list, which may be about the clauses. */
  problem: Problem | null
}

export function FilterBar({ filter, change, isOn, clear, searchLabel, statuses, types, hasDays = false, problem }: FilterBarProps) {
  const texts = useTexts(dataTexts)
  return (
    <AddressFilter
      isOn={isOn}
      clear={clear}
      clearLabel={texts.clear}
      more={<Advanced expression={filter.expression} problem={problem} onApply={(expression) => change({ filter: expression })} />}
    >
      <SearchWords label={searchLabel} words={filter.search} onSearch={(search) => change({ search })} />
      {statuses && <Choice label={texts.status} value={filter.status} values={statuses} onChoose={(status) => change({ status })} />}
      {types && <Choice label={texts.type} value={filter.type} values={types} onChoose={(type) => change({ type })} />}
      {hasDays && <DayFields labels={texts} days={filter} change={change} />}
    </AddressFilter>
  )
}

interface SearchWordsProps {
  label: string
  words: string
  onSearch(words: string): void
}

/** Field for the words of a filter, which are applied once the typing pauses. */
export function SearchWords({ label, words, onSearch }: SearchWordsProps) {
  const search = useDebouncedCallback(onSearch, 300)
  return (
    <TextInput
      type="search"
      label={label}
      defaultValue={words}
      maxLength={MAX_SEARCH_LETTERS}
      onChange={(event) => search(event.currentTarget.value.trim())}
      className="filter-search"
    />
  )
}

interface ChoiceProps {
  label: string
  value: string
  values: readonly string[]
  onChoose(value: string): void
}

function Choice({ label, value, values, onChoose }: ChoiceProps) {
  const texts = useTexts(dataTexts)
  const known = [...new Set([...values, value])].filter(Boolean).sort()
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={(event) => onChoose(event.currentTarget.value)}
      data={[{ value: '', label: texts.any }, ...known]}
    />
  )
}

/** Field for `FilterQuery` clauses, applied on submit if they are well-formed. */
function Advanced({ expression, problem, onApply }: { expression: string; problem: Problem | null; onApply(expression: string): void }) {
  const texts = useTexts(dataTexts)
  const { language } = useLanguage()
  const [typed, setTyped] = useState(expression)
  const [isRefused, setIsRefused] = useState(false)
  const said = problem?.fields.find(({ field }) => field === 'FilterQuery')?.message
  const told = said === undefined || language === 'en' ? said : (fieldInFrench(said) ?? said)
  const apply = () => {
    setIsRefused(!isReadable(typed))
    if (isReadable(typed)) onApply(typed.trim())
  }
  return (
    <details className="link-options" open={expression !== ''}>
      <summary>{texts.advanced}</summary>
      <form onSubmit={onSubmit(apply)}>
        <Group align="flex-start" gap="sm">
          <TextInput
            label={texts.expression}
            description={texts.expressionHint}
            value={typed}
            onChange={(event) => {
              setTyped(event.currentTarget.value)
              setIsRefused(false)
            }}
            error={isRefused ? texts.unreadable : told}
            spellCheck={false}
            autoComplete="off"
            maxLength={1_500}
            className="filter-expression"
          />
          <Button type="submit" variant="default" className="filter-apply">
            {texts.apply}
          </Button>
        </Group>
      </form>
    </details>
  )
}
