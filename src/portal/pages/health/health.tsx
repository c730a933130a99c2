import { Button, Group } from '@mantine/core'
import { useSearchParams } from 'wouter'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import type { DeadJob, Queue } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { ApiText } from '../../parts/display/api-text.tsx'
import { UserText, When } from '../../parts/display/user-text.tsx'
import { Page, Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager } from '../../parts/tables/pager.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { healthTexts } from '../../texts/pages/operation.ts'

export function HealthPage() {
  const texts = useTexts(healthTexts)
  const formats = useFormats()
  const queues = useRead<Queue[]>('/jobs/queues', { everyMs: 3_000 })
  return (
    <Page title={texts.title} lead={texts.lead}>
      <Section title={texts.queues}>
        <Answer read={queues}>
          {(rows) => (
            <Grid
              label={texts.queues}
              rows={rows}
              keyOf={({ kind }) => kind}
              empty={{ title: texts.idle, hint: texts.idleHint }}
              columns={[
                { name: texts.kind, cell: ({ kind }) => <UserText>{kind}</UserText> },
                { name: texts.waiting, isNumber: true, cell: ({ waiting }) => formats.number(waiting) },
                { name: texts.running, isNumber: true, cell: ({ running }) => formats.number(running) },
                { name: texts.dead, isNumber: true, cell: ({ dead }) => formats.number(dead) },
                { name: texts.lag, isNumber: true, cell: ({ lagSeconds }) => formats.duration(lagSeconds * 1000) },
              ]}
            />
          )}
        </Answer>
      </Section>
      {!queues.isPending && <DeadJobs />}
    </Page>
  )
}

/** Jobs that failed for good. */
function DeadJobs() {
  const texts = useTexts(healthTexts)
  const formats = useFormats()
  const [params, setParams] = useSearchParams()
  const jobs = useRead<ListPage<DeadJob>>(withQuery('/jobs/dead', { PageSize: 25, PageNumber: params.get('page'), Desc: true }), {
    keep: true,
  })
  const again = useChange<string>((id) => ({ method: 'POST', path: `/jobs/dead/${id}/redrive` }))
  const againAll = useChange<string>((kind) => ({ method: 'POST', path: '/jobs/dead/redrive', body: { kind } }))
  return (
    <Section title={texts.deadJobs}>
      {again.error && <ProblemBox problem={again.error} />}
      <Answer read={jobs}>
        {(page) => (
          <>
            <Group gap="xs" mb="sm">
              {[...new Set(page.data.map(({ kind }) => kind))].map((kind) => (
                <Confirm
                  key={kind}
                  label={texts.againAll(kind)}
                  title={texts.againAllTitle(kind)}
                  question={texts.againAllQuestion}
                  {...againAll.toConfirm(kind)}
                />
              ))}
            </Group>
            <Grid
              label={texts.deadJobs}
              rows={page.data}
              keyOf={({ id }) => id}
              empty={{ title: texts.noDead, hint: texts.noDeadHint }}
              columns={[
                { name: texts.kind, cell: ({ kind, provider }) => <UserText>{[kind, provider].filter(Boolean).join(' · ')}</UserText> },
                { name: texts.key, cell: ({ key }) => <UserText most={80}>{key}</UserText> },
                { name: texts.error, cell: ({ error }) => <ApiText text={error} most={300} /> },
                { name: texts.died, cell: ({ diedOn }) => <When at={diedOn} /> },
                {
                  name: texts.again,
                  cell: ({ id, key }) => (
                    <Button size="xs" variant="default" aria-label={formats.named(texts.again, key)} onClick={() => again.mutate(id)}>
                      {texts.again}
                    </Button>
                  ),
                },
              ]}
            />
            <Pager page={page} onTurn={(next) => setParams({ page: String(next) })} />
          </>
        )}
      </Answer>
    </Section>
  )
}
