import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import type { Problem } from '../../api/problem.ts'
import { onSubmit } from '../../parts/forms/save-form.tsx'
import { useLanguage, useTexts } from '../../texts/language/language.tsx'
import { fieldInFrench } from '../../texts/messages/problems.ts'
import { dataTexts } from '../../texts/pages/data.ts'
import { type DataFilter, isReadable } from './data-filter.ts'

const NAMES = ['search', 'status', 'type', 'from', 'to'] as const
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Filter of a record list, kept in the address; a change leads to the first page. */
export function useDataFilter() {
  const [params, setParams] = useSearchParams()
  const text = (name: string) => params.get(name) ?? ''
  const day = (name: string) => (DAY.test(text(name)) ? text(name) : '')
  const filter: DataFilter = {
    search: text('search').slice(0, 150),
    status: text('status'),
    type: text('type'),
    from: day('from'),
    to: day('to'),
    expression: isReadable(text('filter')) ? text('filter') : '',
  }
  const change = (changed: Record<string, string>) =>
    setParams(
      (before) => {
        const kept = [...before].filter(([name]) => name !== 'page' && !(name in changed))
        return new URLSearchParams([...kept, ...Object.entries(changed).filter(([, value]) => value !== '')])
      },
      { replace: true },
    )
  const isOn = [...NAMES, 'filter'].some((name) => params.has(name))
  return { filter, change, isOn, clear: () => change(Object.fromEntries([...NAMES, 'filter'].map((name) => [name, '']))) }
}

interface FilterBarProps extends ReturnType<typeof useDataFilter> {
  searchLabel: string
  /** Choices; the field is hidden if omitted. */
  statuses?: readonly string[]
  types?: readonly string[]
  hasDays?: boolean
  /** Problem of the list, which may be about the clauses. */
  problem: Problem | null
  /** Called before a choice opens. */
  onWanted?(): void
}

export function FilterBar({
  filter,
  change,
  isOn,
  clear,
  searchLabel,
  statuses,
  types,
  hasDays = false,
  problem,
  onWanted,
}: FilterBarProps) {
  const texts = useTexts(dataTexts)
  // Key that remounts the fields when they are cleared.
  const [round, setRound] = useState(0)
  const search = useDebouncedCallback((words: string) => change({ search: words }), 300)
  return (
    <div key={round} className="filter-bar">
      <Group align="flex-end" gap="sm">
        <TextInput
          type="search"
          label={searchLabel}
          defaultValue={filter.search}
          maxLength={150}
          onChange={(event) => search(event.currentTarget.value.trim())}
          className="filter-search"
        />
        {statuses && (
          <Choice
            label={texts.status}
            value={filter.status}
            values={statuses}
            onWanted={onWanted}
            onChoose={(status) => change({ status })}
          />
        )}
        {types && (
          <Choice label={texts.type} value={filter.type} values={types} onWanted={onWanted} onChoose={(type) => change({ type })} />
        )}
        {hasDays && <Days filter={filter} change={change} />}
        {isOn && (
          <Button
            variant="default"
            onClick={() => {
              clear()
              setRound(round + 1)
            }}
          >
            {texts.clear}
          </Button>
        )}
      </Group>
      <Advanced expression={filter.expression} problem={problem} onApply={(expression) => change({ filter: expression })} />
    </div>
  )
}

function Days({ filter, change }: Pick<FilterBarProps, 'filter' | 'change'>) {
  const texts = useTexts(dataTexts)
  return (['from', 'to'] as const).map((name) => (
    <TextInput
      key={name}
      type="date"
      label={texts[name]}
      defaultValue={filter[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value })}
    />
  ))
}

interface ChoiceProps {
  label: string
  value: string
  values: readonly string[]
  onWanted: (() => void) | undefined
  onChoose(value: string): void
}

function Choice({ label, value, values, onWanted, onChoose }: ChoiceProps) {
  const texts = useTexts(dataTexts)
  const known = [...new Set([...values, value])].filter(Boolean).sort()
  return (
    <NativeSelect
      label={label}
      value={value}
      onFocus={onWanted}
      onPointerEnter={onWanted}
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
