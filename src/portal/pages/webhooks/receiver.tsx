import { Button, NativeSelect, Text } from '@mantine/core'
import { Link, useLocation, useParams, useSearchParams } from 'wouter'
import { RECEIVER_BEHAVIOURS, type ReceivedRequest, type Receiver } from '../../api/generated/types.ts'
import { forgetReads, useChange, useRead, useRights } from '../../api/reads.ts'
import { Answer, PageAnswer } from '../../parts/answers/answer.tsx'
import { ProblemBox } from '../../parts/answers/problem-box.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { Copyable } from '../../parts/display/copy.tsx'
import { Mark } from '../../parts/display/status.tsx'
import { Instant, UserText } from '../../parts/display/user-text.tsx'
import { Page, Section } from '../../parts/layout/page.tsx'
import { PagedGrid } from '../../parts/tables/paged-grid.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { receiverTexts } from '../../texts/pages/receivers.ts'
import { RequestDetail } from './request-detail.tsx'

const LIVE_MS = 2_000

/** Receiver of this deployment: its requests, live, and how it responds. */
export function ReceiverPage() {
  const { receiverId = '' } = useParams()
  const read = useRead<Receiver>(`/webhooks/receivers/${encodeURIComponent(receiverId)}`)
  return <PageAnswer read={read}>{(receiver) => <ReceiverView key={receiver.id} receiver={receiver} />}</PageAnswer>
}

function ReceiverView({ receiver }: { receiver: Receiver }) {
  const texts = useTexts(receiverTexts)
  const [, navigate] = useLocation()
  const { mayDevelop } = useRights()
  const path = `/webhooks/receivers/${receiver.id}`
  const change = useChange<string>((behaviour) => ({ method: 'PUT', path, body: { behaviour } }))
  const clear = useChange<void>(() => ({ method: 'DELETE', path: `${path}/requests` }))
  const remove = useChange<void>(
    () => ({ method: 'DELETE', path }),
    () => {
      forgetReads(path)
      navigate('/webhooks')
    },
  )
  return (
    <Page
      title={texts.title(receiver.event)}
      lead={texts.lead}
      actions={
        mayDevelop && (
          <>
            <Confirm label={texts.clear} title={texts.clearTitle} question={texts.clearQuestion} {...clear.toConfirm()} />
            <Confirm label={texts.remove} title={texts.removeTitle} question={texts.removeQuestion} isDangerous {...remove.toConfirm()} />
          </>
        )
      }
    >
      <p>
        <Link href="/webhooks">{texts.back}</Link> · <Link href={`/webhooks/${receiver.subscriptionId}`}>{texts.endpoint}</Link>
      </p>
      <Copyable text={receiver.address} />
      <NativeSelect
        label={texts.behaviour}
        value={receiver.behaviour}
        disabled={!mayDevelop}
        onChange={(event) => change.mutate(event.currentTarget.value)}
        data={RECEIVER_BEHAVIOURS.map((value) => ({ value, label: texts.behaviours[value] }))}
        maw={420}
        mt="md"
      />
      <Text size="sm" mih="1.6em" role="status">
        {receiver.behaviour === 'gone' ? texts.goneNote : ''}
      </Text>
      {change.error && <ProblemBox problem={change.error} />}
      <Requests path={path} />
    </Page>
  )
}

function Requests({ path }: { path: string }) {
  const texts = useTexts(receiverTexts)
  const formats = useFormats()
  const [params, setParams] = useSearchParams()
  const requests = useRead<ReceivedRequest[]>(`${path}/requests`, { everyMs: LIVE_MS })
  const show = (id: string | null) =>
    setParams(
      (before) => new URLSearchParams([...[...before].filter(([name]) => name !== 'request'), ...(id === null ? [] : [['request', id]])]),
    )
  const opened = requests.data?.find(({ id }) => id === params.get('request'))
  return (
    <Section title={texts.requests}>
      <Answer read={requests} lines={6}>
        {(rows) => (
          <PagedGrid
            page="page"
            label={texts.requests}
            rows={rows}
            keyOf={({ id }) => id}
            empty={{ title: texts.nothing, hint: texts.nothingHint }}
            columns={[
              { name: texts.arrived, cell: ({ receivedOn }) => <Instant at={receivedOn} /> },
              { name: texts.message, cell: ({ headers }) => <UserText most={60}>{headers['webhook-id'] ?? '—'}</UserText> },
              { name: texts.answered, isNumber: true, cell: ({ answered }) => answered },
              { name: texts.proof, cell: (request) => <Proof request={request} /> },
              {
                name: texts.show,
                cell: ({ id, receivedOn }) => (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={formats.named(texts.show, formats.instant(receivedOn))}
                    onClick={() => show(id)}
                  >
                    {texts.show}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Answer>
      {opened && <RequestDetail path={path} request={opened} onClose={() => show(null)} />}
    </Section>
  )
}

function Proof({ request }: { request: ReceivedRequest }) {
  const texts = useTexts(receiverTexts)
  const { timestamp, headers } = request.checks
  const isGood = timestamp && headers
  return (
    <>
      <Mark health={isGood ? 'good' : 'bad'}>{isGood ? texts.holds : texts.fails}</Mark>
      {request.isRepeat && (
        <Text component="span" size="sm" c="dimmed">
          {' '}
          {texts.repeat}
        </Text>
      )}
    </>
  )
}
