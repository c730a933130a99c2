import { Button, Group, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { AUDIT_ACTIONS } from '../../../audit/actions.ts'
import { allOf, quoteValue } from '../../api/filters.ts'
import { useLanguage, useTexts } from '../../texts/language/language.tsx'
import { auditTexts } from '../../texts/pages/audit.ts'

const NAMES = ['actor', 'action', 'subject', 'network', 'from', 'to'] as const
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Filter of the audit log, kept in the address; a change leads to the newest entries. */
export function useAuditFilter() {
  const [params, setParams] = useSearchParams()
  const text = (name: string) => (params.get(name) ?? '').slice(0, 150)
  const day = (name: string) => (DAY.test(text(name)) ? text(name) : null)
  const quoted = (name: string) => (text(name) === '' ? null : quoteValue(text(name)))
  const query = allOf({
    'actor=': quoted('actor'),
    'action=': quoted('action'),
    'subject~': quoted('subject'),
    'network=': quoted('network'),
    'recordedOn>=': day('from'),
    'recordedOn<': nextDay(day('to')),
  })
  const change = (changed: Record<string, string>) =>
    setParams(
      (before) => {
        const kept = [...before].filter(([name]) => name !== 'before' && !(name in changed))
        return new URLSearchParams([...kept, ...Object.entries(changed).filter(([, value]) => value !== '')])
      },
      { replace: true },
    )
  return { query, text, change, isOn: NAMES.some((name) => params.has(name)) }
}

/** Null for a day that does not exist. */
function nextDay(day: string | null): string | null {
  const at = day === null ? Number.NaN : Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(at) ? null : new Date(at + 86_400_000).toISOString().slice(0, 10)
}

export function AuditFilter({ text, change, isOn }: ReturnType<typeof useAuditFilter>) {
  const texts = useTexts(auditTexts)
  const { language } = useLanguage()
  // Key that remounts the fields when they are cleared.
  const [round, setRound] = useState(0)
  const type = useDebouncedCallback((changed: Record<string, string>) => change(changed), 300)
  const actions = Object.entries(AUDIT_ACTIONS).map(([value, action]) => ({ value, label: action[language] }))
  return (
    <div key={round} className="filter-bar">
      <Group align="flex-end" gap="sm">
        <NativeSelect
          label={texts.actor}
          value={text('actor')}
          onChange={(event) => change({ actor: event.currentTarget.value })}
          data={[{ value: '', label: texts.anybody }, ...Object.entries(texts.actors).map(([value, label]) => ({ value, label }))]}
        />
        <NativeSelect
          label={texts.kind}
          value={text('action')}
          onChange={(event) => change({ action: event.currentTarget.value })}
          data={[{ value: '', label: texts.anyAction }, ...actions.toSorted((a, b) => a.label.localeCompare(b.label, language))]}
        />
        {(['subject', 'network'] as const).map((name) => (
          <TextInput
            key={name}
            label={texts[name]}
            defaultValue={text(name)}
            maxLength={150}
            onChange={(event) => type({ [name]: event.currentTarget.value.trim() })}
          />
        ))}
        {(['from', 'to'] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            label={texts[name]}
            defaultValue={text(name)}
            onChange={(event) => change({ [name]: event.currentTarget.value })}
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
