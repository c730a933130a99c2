import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { AUDIT_ACTIONS } from '../../../audit/actions.ts'
import { allOf, quoteValue } from '../../api/filters.ts'
import { AddressFilter, DayFields, useAddressFilter } from '../../parts/forms/address-filter.tsx'
import { useLanguage, useTexts } from '../../texts/language/language.tsx'
import { auditTexts } from '../../texts/pages/audit.ts'

const NAMES = ['actor', 'action', 'subject', 'network', 'from', 'to'] as const
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** Filter of the audit log, kept in the address; a change leads to the newest entries. */
export function useAuditFilter() {
  const { textOf, ...filter } = useAddressFilter(NAMES, 'before')
  const text = (name: string) => textOf(name).slice(0, 150)
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
  return { ...filter, query, text }
}

/** Null for a day that does not exist. */
function nextDay(day: string | null): string | null {
  const at = day === null ? Number.NaN : Date.parse(`${day}T00:00:00Z`)
  return Number.isNaN(at) ? null : new Date(at + 86_400_000).toISOString().slice(0, 10)
}

export function AuditFilter({ text, change, isOn, clear }: ReturnType<typeof useAuditFilter>) {
  const texts = useTexts(auditTexts)
  const { language } = useLanguage()
  const type = useDebouncedCallback((changed: Record<string, string>) => change(changed), 300)
  const actions = Object.entries(AUDIT_ACTIONS).map(([value, action]) => ({ value, label: action[language] }))
  return (
    <AddressFilter isOn={isOn} clear={clear} clearLabel={texts.clear}>
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
      <DayFields labels={texts} days={{ from: text('from'), to: text('to') }} change={change} />
    </AddressFilter>
  )
}
