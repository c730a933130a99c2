import { NativeSelect } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import { allOf } from '../../api/filters.ts'
import { DELIVERY_STATUSES, type Delivery, type DeliveryStatus, type Subscription } from '../../api/generated/types.ts'
import { useChange, useRead, useRights } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { ApiText } from '../../parts/display/api-text.tsx'
import { Mark } from '../../parts/display/status.tsx'
import { Instant, UserText, When } from '../../parts/display/user-text.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { type Column, Grid } from '../../parts/tables/grid.tsx'
import { Pager } from '../../parts/tables/pager.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { reasonInFrench } from '../../texts/messages/reasons.ts'
import type { Health } from '../../texts/messages/statuses.ts'
import { deliveryTexts } from '../../texts/pages/webhooks.ts'
import { DeliveryDetail } from './delivery-detail.tsx'

const HEALTH: Record<DeliveryStatus, Health> = { pending: 'busy', delivered: 'good', failed: 'bad' }

export function DeliveriesPage() {
  const texts = useTexts(deliveryTexts)
  const [params, setParams] = useSearchParams()
  const [opened, setOpened] = useState<Delivery | null>(null)
  const [status, endpoint] = [params.get('status'), params.get('endpoint')]
  const [event, delivery] = [params.get('event'), params.get('delivery')]
  const filter = allOf({ 'status=': status, 'subscriptionId=': endpoint, 'eventId=': event, 'id=': delivery })
  const query = { PageSize: 25, PageNumber: params.get('page'), OrderBy: 'createdOn', Desc: true, FilterQuery: filter }
  const deliveries = useRead<ListPage<Delivery>>(withQuery('/webhooks/deliveries', query), { everyMs: 3_000, keep: true })
  const subscriptions = useRead<Subscription[]>('/webhooks/subscriptions')
  const go = (next: Record<string, string | null>) =>
    setParams(
      Object.fromEntries(
        Object.entries({ status, endpoint, event, delivery, ...next }).flatMap(([name, value]) => (value ? [[name, value]] : [])),
      ),
    )
  const addressOf = (id: string) => subscriptions.data?.find((each) => each.id === id)?.callbackUrl ?? id
  return (
    <Page title={texts.title} lead={texts.lead}>
      <NativeSelect
        aria-label={texts.status}
        value={status ?? ''}
        onChange={(event) => go({ status: event.currentTarget.value })}
        data={[{ value: '', label: texts.any }, ...DELIVERY_STATUSES.map((value) => ({ value, label: texts.statuses[value] }))]}
        maw={240}
        mb="md"
      />
      <Answer read={deliveries} lines={8}>
        {(page) => (
          <>
            <DeliveryGrid deliveries={page.data} addressOf={addressOf} onOpen={setOpened} />
            <Pager page={page} onTurn={(next) => go({ page: String(next) })} />
          </>
        )}
      </Answer>
      {opened && <DeliveryDetail delivery={opened} address={addressOf(opened.subscriptionId)} onClose={() => setOpened(null)} />}
    </Page>
  )
}

interface DeliveryGridProps {
  deliveries: Delivery[]
  addressOf(subscriptionId: string): string
  onOpen(delivery: Delivery): void
}

function DeliveryGrid({ deliveries, addressOf, onOpen }: DeliveryGridProps) {
  const texts = useTexts(deliveryTexts)
  const formats = useFormats()
  const { mayDevelop } = useRights()
  const again = useChange<string>((id) => ({ method: 'POST', path: `/webhooks/deliveries/${id}/replay` }))
  const redeliver: Column<Delivery> = {
    name: texts.again,
    cell: ({ id, kind, subscriptionId }) => (
      <Confirm
        label={texts.again}
        name={formats.named(texts.again, kind)}
        title={texts.againTitle(kind)}
        question={<UserText most={300}>{addressOf(subscriptionId)}</UserText>}
        {...again.toConfirm(id)}
      />
    ),
  }
  return (
    <Grid
      label={texts.title}
      rows={deliveries}
      keyOf={({ id }) => id}
      empty={{ title: texts.none, hint: texts.noneHint }}
      columns={[
        { name: texts.created, cell: ({ createdOn }) => <Instant at={createdOn} /> },
        {
          name: texts.kind,
          cell: (delivery) => (
            <button type="button" className="as-link" title={texts.details} onClick={() => onOpen(delivery)}>
              {delivery.kind}
            </button>
          ),
        },
        { name: texts.request, cell: ({ subscriptionId }) => <UserText most={70}>{addressOf(subscriptionId)}</UserText> },
        { name: texts.status, cell: (each) => <Mark health={HEALTH[each.status]}>{texts.statuses[each.status]}</Mark> },
        { name: texts.answer, cell: ({ attempts }) => <LastAnswer attempts={attempts} /> },
        { name: texts.next, cell: ({ nextAttemptOn, status: now }) => (now === 'pending' ? <When at={nextAttemptOn} /> : '—') },
        ...(mayDevelop ? [redeliver] : []),
      ]}
    />
  )
}

function LastAnswer({ attempts }: Pick<Delivery, 'attempts'>) {
  const last = attempts.at(-1)
  if (last?.httpStatus) return last.httpStatus
  return last?.error ? <ApiText text={last.error} french={reasonInFrench} most={80} /> : '—'
}
