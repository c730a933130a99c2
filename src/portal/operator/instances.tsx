import { Button, Modal, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { type Page as ListPage, withQuery } from '../api/client.ts'
import { type Erasure, type Instance, type OneTimeLink, useOperatorChange, useOperatorRead } from '../api/operator.ts'
import { Answer } from '../parts/answers/answer.tsx'
import { useDialog, useFocusBack } from '../parts/dialogs/dialog.ts'
import { Mark } from '../parts/display/status.tsx'
import { UserText, When } from '../parts/display/user-text.tsx'
import { SaveForm } from '../parts/forms/save-form.tsx'
import { Page, Section } from '../parts/layout/page.tsx'
import { Grid } from '../parts/tables/grid.tsx'
import { Pager, usePageNumber } from '../parts/tables/pager.tsx'
import { useTexts } from '../texts/language/language.tsx'
import { operatorTexts } from '../texts/pages/operator.ts'
import { LinkShown } from './link-shown.tsx'

const PAGE_SIZE = 50

/** All instances of the deployment, and those that were erased. */
export function InstancesPage() {
  const texts = useTexts(operatorTexts)
  const [pageNumber, turn] = usePageNumber('page')
  const [isAdding, adding] = useDialog('add')
  const instances = useOperatorRead<ListPage<Instance>>(
    withQuery('/instances', { PageSize: PAGE_SIZE, PageNumber: pageNumber, OrderBy: 'name' }),
  )
  return (
    <Page title={texts.instances} lead={texts.instancesLead} actions={<Button onClick={() => adding.open()}>{texts.add}</Button>}>
      <Answer read={instances}>
        {(page) => (
          <>
            <Grid
              label={texts.instances}
              rows={page.data}
              keyOf={({ id }) => id}
              empty={{ title: texts.none }}
              columns={[
                {
                  name: texts.name,
                  cell: ({ id, name }) => (
                    <Link href={`/instances/${id}`}>
                      <UserText most={80}>{name}</UserText>
                    </Link>
                  ),
                },
                { name: texts.kind, cell: ({ kind }) => texts.kinds[kind] },
                {
                  name: texts.state,
                  cell: ({ suspension }) =>
                    suspension ? <Mark health="bad">{texts.suspended}</Mark> : <Mark health="good">{texts.active}</Mark>,
                },
                { name: texts.created, cell: ({ createdOn }) => <When at={createdOn} /> },
              ]}
            />
            <Pager page={page} onTurn={turn} />
          </>
        )}
      </Answer>
      <Erasures />
      {isAdding && <NewInstance onClose={adding.close} />}
    </Page>
  )
}

function Erasures() {
  const texts = useTexts(operatorTexts)
  const [pageNumber, turn] = usePageNumber('erased')
  const path = withQuery('/erasures', { PageSize: PAGE_SIZE, PageNumber: pageNumber })
  const erasures = useOperatorRead<ListPage<Erasure>>(path, { everyMs: 10_000 })
  if (!erasures.data || erasures.data.total === 0) return null
  return (
    <Section title={texts.erasures}>
      <Grid
        label={texts.erasures}
        rows={erasures.data.data}
        keyOf={({ id }) => id}
        empty={{ title: texts.none }}
        columns={[
          { name: texts.name, cell: ({ name }) => <UserText most={80}>{name}</UserText> },
          { name: texts.requested, cell: ({ requestedOn }) => <When at={requestedOn} /> },
          { name: texts.erased, cell: ({ completedOn }) => (completedOn === null ? texts.underWay : <When at={completedOn} />) },
          {
            name: texts.receipt,
            cell: ({ id, name, receipt }) =>
              receipt !== null && (
                <a
                  href={`data:application/jose,${encodeURIComponent(receipt)}`}
                  download={`erasure-${id}.jws`}
                  aria-label={texts.receiptOf(name.slice(0, 80))}
                >
                  {texts.download}
                </a>
              ),
          },
        ]}
      />
      {erasures.data.total > PAGE_SIZE && <Pager page={erasures.data} onTurn={turn} />}
    </Section>
  )
}

function NewInstance({ onClose }: { onClose(): void }) {
  const texts = useTexts(operatorTexts)
  const [kind, setKind] = useState<string | null>('live')
  const [link, setLink] = useState<OneTimeLink | null>(null)
  useFocusBack()
  const add = useOperatorChange<object, { link: OneTimeLink }>(
    (body) => ({ method: 'POST', path: '/instances', body }),
    (answer) => setLink(answer.link),
  )
  const save = (values: FormData) =>
    add.mutate({
      name: String(values.get('name')),
      kind,
      admin: { email: String(values.get('email')), name: String(values.get('adminName')) },
    })
  return (
    <Modal opened onClose={onClose} title={texts.add}>
      {link ? (
        <LinkShown link={link} onClose={onClose} />
      ) : (
        <SaveForm change={add} onSave={save} onCancel={onClose}>
          <TextInput name="name" label={texts.name} required withAsterisk={false} maxLength={200} mb="sm" data-autofocus />
          <Select
            label={texts.kind}
            description={texts.kindHint}
            data={(['live', 'test'] as const).map((value) => ({ value, label: texts.kinds[value] }))}
            value={kind}
            onChange={setKind}
            allowDeselect={false}
            mb="sm"
          />
          <TextInput name="adminName" label={texts.adminName} required withAsterisk={false} maxLength={200} mb="sm" />
          <TextInput name="email" type="email" label={texts.adminEmail} required withAsterisk={false} maxLength={320} mb="sm" />
        </SaveForm>
      )}
    </Modal>
  )
}
