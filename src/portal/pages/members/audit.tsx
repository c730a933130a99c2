import { Button, Group } from '@mantine/core'
import { useSearchParams } from 'wouter'
import { withQuery } from '../../api/client.ts'
import type { AuditEntry, ListAuditAnswer, User } from '../../api/generated/types.ts'
import { useRead, useWhole } from '../../api/reads.ts'
import { Answer } from '../../parts/answer.tsx'
import { Grid } from '../../parts/grid.tsx'
import { Page } from '../../parts/page.tsx'
import { Instant, UserText } from '../../parts/user-text.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { memberTexts } from '../../texts/pages/members.ts'

export function AuditPage() {
  const texts = useTexts(memberTexts)
  const formats = useFormats()
  const [params, setParams] = useSearchParams()
  const audit = useRead<ListAuditAnswer>(withQuery('/audit', { Limit: 50, Before: params.get('before') }), { keep: true })
  const users = useWhole<User>('/users')
  const nameOf = (userId: string | null) =>
    userId === null ? texts.system : (users.data?.data.find(({ id }) => id === userId)?.email ?? userId)
  return (
    <Page title={texts.auditTitle} lead={texts.auditLead}>
      <Answer read={audit} lines={8} beside={[users]}>
        {({ data, before }) => (
          <>
            <Grid
              label={texts.auditTitle}
              rows={data}
              keyOf={({ position }) => String(position)}
              empty={{ title: texts.noEntries }}
              columns={[
                { name: texts.when, cell: ({ recordedOn }) => <Instant at={recordedOn} /> },
                { name: texts.who, cell: ({ userId }) => <UserText most={80}>{nameOf(userId)}</UserText> },
                { name: texts.action, cell: ({ action }) => <UserText>{action}</UserText> },
                { name: texts.subject, cell: ({ subject }) => <UserText>{subject}</UserText> },
                { name: texts.details, cell: ({ details }) => <UserText>{describe(details, formats.named)}</UserText> },
              ]}
            />
            <Group mt="md" gap="xs">
              {params.has('before') && (
                <Button variant="default" onClick={() => setParams({})}>
                  {texts.newest}
                </Button>
              )}
              {before !== null && (
                <Button variant="default" onClick={() => setParams({ before: String(before) })}>
                  {texts.older}
                </Button>
              )}
            </Group>
          </>
        )}
      </Answer>
    </Page>
  )
}

function describe(details: AuditEntry['details'], named: (name: string, value: string) => string): string {
  return Object.entries(details)
    .map(([name, value]) => named(name, String(value)))
    .join(', ')
}
