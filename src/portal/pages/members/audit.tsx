import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { AUDIT_ACTIONS, isActionName } from '../../../audit/actions.ts'
import { download, type Page as ListPage, withQuery } from '../../api/client.ts'
import type { AuditEntry, AuditEntryPage, User } from '../../api/generated/types.ts'
import { Problem } from '../../api/problem.ts'
import { useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { Instant, UserText } from '../../parts/display/user-text.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { useFormats, useLanguage, useTexts } from '../../texts/language/language.tsx'
import { auditTexts } from '../../texts/pages/audit.ts'
import { AuditFilter, useAuditFilter } from './audit-filter.tsx'

const ON_PAGE = 50

export function AuditPage() {
  const texts = useTexts(auditTexts)
  const filter = useAuditFilter()
  const [params] = useSearchParams()
  const query = { Limit: ON_PAGE, Before: params.get('before'), FilterQuery: filter.query }
  const audit = useRead<AuditEntryPage>(withQuery('/audit', query), { keep: true })
  const ids = [...new Set((audit.data?.data ?? []).flatMap(({ userId }) => userId ?? []))]
  const users = useUsers(ids)
  return (
    <Page title={texts.title} lead={texts.lead}>
      <AuditFilter {...filter} />
      <Downloads query={filter.query} />
      <Answer read={audit} lines={8} beside={ids.length > 0 ? [users] : []}>
        {({ data, before }) => (
          <>
            <Entries
              data={data}
              users={users.data?.data ?? []}
              isLate={users.isPlaceholderData}
              none={filter.isOn ? texts.noneFound : texts.none}
            />
            <Turn before={data.length < query.Limit ? null : before} />
          </>
        )}
      </Answer>
    </Page>
  )
}

/** Users of the entries of one page. */
function useUsers(ids: readonly string[]) {
  const query = { PageSize: ON_PAGE, FilterQuery: ids.map((id) => `id=${id}`).join('||') }
  return useRead<ListPage<User>>(withQuery('/users', query), { enabled: ids.length > 0, keep: true })
}

interface EntriesProps {
  data: AuditEntry[]
  users: User[]
  /** Whether the users are those of another page still. */
  isLate: boolean
  /** What is said where there is no entry. */
  none: string
}

function Entries({ data, users, isLate, none }: EntriesProps) {
  const texts = useTexts(auditTexts)
  const formats = useFormats()
  const { language } = useLanguage()
  const whoOf = ({ actor, userId, actorId }: AuditEntry) => {
    const name = userId === null ? actorId : (users.find(({ id }) => id === userId)?.email ?? (isLate ? '…' : userId))
    const kind = actor === null ? texts.actors.job : texts.actors[actor]
    return actor === 'user' && name !== null ? name : [kind, name].filter((part) => part !== null).join(' ')
  }
  return (
    <Grid
      label={texts.title}
      rows={data}
      keyOf={({ position }) => String(position)}
      empty={{ title: none }}
      columns={[
        { name: texts.when, cell: ({ recordedOn }) => <Instant at={recordedOn} /> },
        { name: texts.who, cell: (entry) => <UserText most={80}>{whoOf(entry)}</UserText> },
        {
          name: texts.action,
          cell: ({ action }) => <UserText>{isActionName(action) ? AUDIT_ACTIONS[action][language] : action}</UserText>,
        },
        { name: texts.subject, cell: ({ subject }) => <UserText>{subject}</UserText> },
        { name: texts.network, cell: ({ network }) => <UserText>{network}</UserText> },
        { name: texts.details, cell: (entry) => <Details lines={listDetails(entry, texts, formats.named)} /> },
      ]}
    />
  )
}

function Details({ lines }: { lines: string[] }) {
  return lines.map((line) => (
    <div key={line}>
      <UserText most={300}>{line}</UserText>
    </div>
  ))
}

/** What changed, field by field, then what else is known. */
function listDetails(
  { before, after, withheld, details }: AuditEntry,
  texts: { changed(before: string, after: string): string; empty: string; withheld: string },
  named: (name: string, value: string) => string,
): string[] {
  const show = (value: string | number | boolean | null | undefined) => String(value ?? texts.empty)
  const fields = Object.keys({ ...before, ...after })
  const changes = fields.map((name) => {
    if (before === null || after === null) return named(name, show((before ?? after)?.[name]))
    return named(name, texts.changed(show(before[name]), show(after[name])))
  })
  return [
    ...changes,
    ...withheld.map((name) => named(name, texts.withheld)),
    ...Object.entries(details).map(([name, value]) => named(name, String(value))),
  ]
}

/** Files of all entries that fit the filter. */
function Downloads({ query }: { query: string }) {
  const texts = useTexts(auditTexts)
  const [problem, setProblem] = useState<Problem | null>(null)
  const [running, setRunning] = useState<string | null>(null)
  const save = async (format: 'csv' | 'jsonl') => {
    setRunning(format)
    setProblem(null)
    await download(withQuery('/audit/download', { Format: format, FilterQuery: query }), `audit.${format}`).catch((error: unknown) =>
      setProblem(error instanceof Problem ? error : new Problem(0, String(error))),
    )
    setRunning(null)
  }
  return (
    <>
      <Group gap="xs" mb="md">
        {(['csv', 'jsonl'] as const).map((format) => (
          <Button key={format} variant="default" loading={running === format} onClick={() => save(format)}>
            {texts[format]}
          </Button>
        ))}
      </Group>
      {problem && <ProblemBox problem={problem} />}
    </>
  )
}

function Turn({ before }: { before: number | null }) {
  const texts = useTexts(auditTexts)
  const [params, setParams] = useSearchParams()
  const turn = (position: number | null) => {
    const kept = [...params].filter(([name]) => name !== 'before')
    setParams(new URLSearchParams(position === null ? kept : [...kept, ['before', String(position)]]))
  }
  return (
    <Group mt="md" gap="xs">
      {params.has('before') && (
        <Button variant="default" onClick={() => turn(null)}>
          {texts.newest}
        </Button>
      )}
      {before !== null && (
        <Button variant="default" onClick={() => turn(before)}>
          {texts.older}
        </Button>
      )}
    </Group>
  )
}
