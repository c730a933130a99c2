import { Button, Group } from '@mantine/core'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { type Page as ListPage, withQuery } from '../../api/client.ts'
import type { Export, ExportDestination } from '../../api/generated/types.ts'
import { useChange, useRead, useRights } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { Confirm } from '../../parts/dialogs/confirm.tsx'
import { useDialog } from '../../parts/dialogs/dialog.ts'
import { ApiText } from '../../parts/display/api-text.tsx'
import { Mark } from '../../parts/display/status.tsx'
import { UserText, When } from '../../parts/display/user-text.tsx'
import { Page, Section } from '../../parts/layout/page.tsx'
import { Grid } from '../../parts/tables/grid.tsx'
import { Pager } from '../../parts/tables/pager.tsx'
import { useFormats, useTexts } from '../../texts/language/language.tsx'
import { destinationErrorInFrench } from '../../texts/messages/destination-errors.ts'
import type { Health } from '../../texts/messages/statuses.ts'
import { exportTexts } from '../../texts/pages/exports.ts'
import { DeliverForm } from './deliver-form.tsx'
import { DestinationForm } from './destination-form.tsx'
import { ExportForm } from './export-form.tsx'

const EVERY_MS = 5_000

/** Exports of data, newest first, and the destinations to which data goes. */
export function ExportsPage() {
  const texts = useTexts(exportTexts)
  const { mayOperate, isAdmin } = useRights()
  const [params, setParams] = useSearchParams()
  const [isAdding, adding] = useDialog('add')
  const [isRequesting, requesting] = useDialog('request')
  const [delivered, setDelivered] = useState<Export | null>(null)
  const exports = useRead<ListPage<Export>>(withQuery('/normalized-data/exports', { PageSize: 25, PageNumber: params.get('page') }), {
    everyMs: EVERY_MS,
    keep: true,
  })
  const destinations = useRead<ExportDestination[]>('/export-destinations', { everyMs: EVERY_MS })
  const nameOf = (id: string) => destinations.data?.find((each) => each.id === id)?.name ?? id
  return (
    <Page title={texts.title} lead={texts.lead} actions={mayOperate && <Button onClick={requesting.open}>{texts.request}</Button>}>
      <Answer read={exports}>
        {(page) => (
          <>
            <Exports exports={page.data} nameOf={nameOf} onDeliver={setDelivered} />
            <Pager page={page} onTurn={(next) => setParams({ page: String(next) })} />
          </>
        )}
      </Answer>
      {/* Below a list of unknown length, so that it does not move when the list is there. */}
      {!exports.isPending && (
        <Section title={texts.destinations}>
          {isAdmin && (
            <Button variant="default" mb="sm" onClick={adding.open}>
              {texts.add}
            </Button>
          )}
          <Answer read={destinations}>{(all) => <Destinations destinations={all} />}</Answer>
        </Section>
      )}
      {isRequesting && <ExportForm onClose={requesting.close} />}
      {isAdding && <DestinationForm onClose={adding.close} />}
      {delivered && <DeliverForm of={delivered} destinations={destinations.data ?? []} onClose={() => setDelivered(null)} />}
    </Page>
  )
}

const EXPORT_HEALTH: Record<Export['state'], Health> = {
  waiting: 'busy',
  running: 'busy',
  completed: 'good',
  failed: 'bad',
  erased: 'idle',
}
type DeliveryState = NonNullable<Export['delivery']>['state']
const DELIVERY_HEALTH: Record<DeliveryState, Health> = {
  ...{ waiting: 'busy', delivered: 'good', failed: 'bad' },
  ...{ erased: 'idle', unreached: 'bad' },
}

interface ExportsProps {
  exports: readonly Export[]
  nameOf(destinationId: string): string
  onDeliver(made: Export): void
}

function Exports({ exports, nameOf, onDeliver }: ExportsProps) {
  const texts = useTexts(exportTexts)
  const formats = useFormats()
  const kindOf = ({ category, entity, format }: Export) => `${texts.kinds[`${category}${entity}`]}, ${texts.formats[format]}`
  return (
    <Grid
      label={texts.title}
      rows={exports}
      keyOf={({ id }) => id}
      empty={{ title: texts.none, hint: texts.noneHint }}
      columns={[
        { name: texts.requested, cell: ({ requestedOn }) => <When at={requestedOn} /> },
        { name: texts.what, cell: kindOf },
        { name: texts.records, isNumber: true, cell: ({ expectedRecords }) => formats.number(expectedRecords) },
        {
          name: texts.state,
          cell: ({ state, error }) => (
            <>
              <Mark health={EXPORT_HEALTH[state]}>{texts.states[state]}</Mark>
              {error && <Reason text={error} />}
            </>
          ),
        },
        {
          name: texts.delivery,
          cell: ({ delivery }) =>
            delivery && (
              <>
                <Mark health={DELIVERY_HEALTH[delivery.state]}>{texts.deliveries[delivery.state]}</Mark>
                <br />
                <UserText most={80}>{nameOf(delivery.destinationId)}</UserText>
                {delivery.error && <Reason text={delivery.error} />}
              </>
            ),
        },
        {
          name: texts.actions,
          isAction: true,
          cell: (made) => <ExportActions of={made} name={kindOf(made)} onDeliver={onDeliver} />,
        },
      ]}
    />
  )
}

function ExportActions({ of: made, name, onDeliver }: { of: Export; name: string; onDeliver(made: Export): void }) {
  const texts = useTexts(exportTexts)
  const { mayOperate } = useRights()
  const remove = useChange<string>((id) => ({ method: 'DELETE', path: `/normalized-data/exports/${id}` }))
  if (!mayOperate) return null
  return (
    <Group gap="xs">
      {made.state === 'completed' && (
        <Button size="xs" variant="default" aria-label={texts.deliverOne(name)} onClick={() => onDeliver(made)}>
          {texts.deliver}
        </Button>
      )}
      <Confirm
        label={texts.remove}
        name={texts.removeOne(name)}
        title={texts.removeExportTitle}
        question={texts.removeExportQuestion}
        isDangerous
        {...remove.toConfirm(made.id)}
      />
    </Group>
  )
}

function Reason({ text }: { text: string }) {
  return (
    <div>
      <ApiText text={text} french={destinationErrorInFrench} />
    </div>
  )
}

function Destinations({ destinations }: { destinations: readonly ExportDestination[] }) {
  const texts = useTexts(exportTexts)
  return (
    <Grid
      label={texts.destinations}
      rows={destinations}
      keyOf={({ id }) => id}
      empty={{ title: texts.noDestination, hint: texts.noDestinationHint }}
      columns={[
        { name: texts.name, cell: ({ name }) => <UserText most={80}>{name}</UserText> },
        { name: texts.kind, cell: ({ kind }) => texts.destinationKinds[kind] },
        { name: texts.where, cell: (each) => <UserText most={160}>{addressOf(each)}</UserText> },
        { name: texts.state, cell: (each) => <Replicated of={each} /> },
        { name: texts.actions, isAction: true, cell: (each) => <DestinationActions of={each} /> },
      ]}
    />
  )
}

function addressOf(destination: ExportDestination): string {
  if (destination.kind === 's3') return `${destination.endpoint}/${destination.bucket}/${destination.prefix}`
  const { host, port } = destination
  return destination.kind === 'sftp'
    ? `${host}:${port}${destination.path}`
    : `${host}:${port}/${destination.database} (${destination.schema})`
}

const REPLICATION_HEALTH = { copying: 'busy', current: 'good', failing: 'bad' } as const

function Replicated({ of: destination }: { of: ExportDestination }) {
  const texts = useTexts(exportTexts)
  if (destination.kind !== 'postgres') return texts.onDemand
  const { state, error, failingSince, currentOn } = destination.replication
  return (
    <>
      <Mark health={REPLICATION_HEALTH[state]}>{texts.replications[state]}</Mark>
      <div>{failingSince ? <When at={failingSince} /> : currentOn && <When at={currentOn} />}</div>
      {error && <Reason text={error} />}
    </>
  )
}

function DestinationActions({ of: { id, name: full, kind } }: { of: ExportDestination }) {
  const texts = useTexts(exportTexts)
  const { mayOperate, isAdmin } = useRights()
  const replicate = useChange<object>((body) => ({ method: 'POST', path: `/export-destinations/${id}/replicate`, body }))
  const remove = useChange<string>((wanted) => ({ method: 'DELETE', path: `/export-destinations/${wanted}` }))
  const name = full.slice(0, 80)
  return (
    <Group gap="xs">
      {kind === 'postgres' && mayOperate && (
        <>
          <Button
            size="xs"
            variant="default"
            loading={replicate.isPending}
            aria-label={texts.replicateOne(name)}
            onClick={() => replicate.mutate({})}
          >
            {texts.replicate}
          </Button>
          <Confirm
            label={texts.rewind}
            name={texts.rewindOne(name)}
            title={texts.rewindTitle}
            question={texts.rewindQuestion}
            {...replicate.toConfirm({ cursor: null })}
          />
        </>
      )}
      {isAdmin && (
        <Confirm
          label={texts.remove}
          name={texts.removeOne(name)}
          title={texts.removeTitle}
          question={texts.removeQuestion}
          isDangerous
          {...remove.toConfirm(id)}
        />
      )}
    </Group>
  )
}
