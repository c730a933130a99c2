import { Alert, Switch, Text } from '@mantine/core'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import type { Deployment, Mail, MailSettings, Whoami } from '../../api/generated/types.ts'
import { useChange, useRead } from '../../api/reads.ts'
import { Answer, Waiting } from '../../parts/answers/answer.tsx'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { ApiText } from '../../parts/display/api-text.tsx'
import { UserText, When } from '../../parts/display/user-text.tsx'
import { Page, Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../../parts/tables/pager.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { mailProblemInFrench } from '../../texts/messages/mail-problems.ts'
import { mailTexts } from '../../texts/pages/mail.ts'
import { CaughtMails } from './caught-mails.tsx'

/** Query of the current page of mails. */
function useMails(everyMs?: number) {
  const [pageNumber, turn] = usePageNumber('page')
  const mails = useRead<ListPage<Mail>>(withQuery('/mails', { PageSize: 50, PageNumber: pageNumber }), {
    everyMs: everyMs ?? false,
    keep: true,
  })
  return { mails, turn }
}

/** Sent mails, automatic mails, and in the sandbox the caught ones. */
export function MailPage() {
  const texts = useTexts(mailTexts)
  const me = useRead<Whoami>('/auth/me')
  const deployment = useRead<Deployment>('/deployment')
  const isAdmin = me.data?.role === 'admin'
  const isCaught = isAdmin && deployment.data?.environment === 'sandbox'
  // Rendered once everything above is known, so that the layout does not shift.
  const caught = useRead('/sandbox/mails', { enabled: isCaught })
  const { mails } = useMails()
  if (me.isPending || deployment.isPending || caught.isLoading || mails.isPending) {
    return (
      <Page title={texts.title} lead={texts.lead}>
        <Waiting lines={8} />
      </Page>
    )
  }
  return (
    <Page title={texts.title} lead={texts.lead}>
      {isCaught && <CaughtMails />}
      <Section title={texts.sent}>
        <Mails />
      </Section>
      <Section title={texts.settings}>
        <Settings isAdmin={isAdmin} />
      </Section>
    </Page>
  )
}

function Mails() {
  const texts = useTexts(mailTexts)
  const { mails, turn } = useMails(5_000)
  return (
    <Answer read={mails}>
      {(page) => (
        <>
          <Grid
            label={texts.sent}
            rows={page.data}
            keyOf={({ id }) => id}
            empty={{ title: texts.none, hint: texts.noneHint }}
            columns={[
              { name: texts.to, cell: ({ to }) => <UserText>{to}</UserText> },
              { name: texts.kind, cell: ({ kind }) => texts.kinds[kind] },
              { name: texts.state, cell: ({ state }) => texts.states[state] },
              {
                name: texts.problem,
                cell: ({ problem }) => (problem === null ? '–' : <ApiText text={problem} french={mailProblemInFrench} most={400} />),
              },
              { name: texts.written, cell: ({ createdOn }) => <When at={createdOn} /> },
            ]}
          />
          <Pager page={page} onTurn={turn} />
        </>
      )}
    </Answer>
  )
}

function Settings({ isAdmin }: { isAdmin: boolean }) {
  const texts = useTexts(mailTexts)
  const settings = useRead<MailSettings>('/mail-settings')
  const save = useChange<boolean>((writesToOwners) => ({ method: 'PUT', path: '/mail-settings', body: { writesToOwners } }))
  return (
    <Answer read={settings} lines={2}>
      {({ writesToOwners, canSend }) => (
        <>
          {!canSend && (
            <Alert variant="outline" mb="sm">
              {texts.noServer}
            </Alert>
          )}
          <Switch
            checked={writesToOwners}
            disabled={!isAdmin || save.isPending}
            label={texts.writes}
            onChange={(event) => save.mutate(event.currentTarget.checked)}
          />
          <Text size="sm" c="dimmed" mt={4}>
            {texts.writesHint}
          </Text>
          {save.error && <ProblemBox problem={save.error} />}
        </>
      )}
    </Answer>
  )
}
