import { Button, Modal, NativeSelect, Textarea, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { InstitutionRequest, Service } from '../../api/generated/types.ts'
import { useChange, useRead, useRights } from '../../api/reads.ts'
import { Answer } from '../../parts/answers/answer.tsx'
import { useFocusBack } from '../../parts/dialogs/dialog.ts'
import { ServiceName, UserText, When } from '../../parts/display/user-text.tsx'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { Section } from '../../parts/layout/page.tsx'
import { PagedGrid } from '../../parts/tables/paged-grid.tsx'
import { useServiceName, useTexts } from '../../texts/language/language.tsx'
import { catalogueTexts } from '../../texts/pages/operation.ts'
import { AnswerOf } from './answer-of.tsx'

/** Requests for banks that are missing in a directory. */
export function Requests({ services }: { services: readonly Service[] }) {
  const texts = useTexts(catalogueTexts)
  const [isAsking, asking] = useDisclosure(false)
  const { mayOperate } = useRights()
  const requests = useRead<InstitutionRequest[]>('/normalized-data/institution-requests')
  const nameOf = (serviceId: string) => services.find(({ id }) => id === serviceId)?.name ?? ''
  return (
    <Section
      title={texts.requests}
      actions={
        mayOperate && (
          <Button size="xs" variant="default" onClick={asking.open}>
            {texts.ask}
          </Button>
        )
      }
    >
      <Answer read={requests} lines={2}>
        {(rows) => (
          <PagedGrid
            page="requests"
            label={texts.requests}
            rows={rows}
            keyOf={({ id }) => id}
            empty={{ title: texts.noRequests, hint: texts.noRequestsHint }}
            columns={[
              { name: texts.institution, cell: ({ name, country }) => <UserText most={100}>{`${name} (${country})`}</UserText> },
              { name: texts.aggregator, cell: ({ serviceId }) => <ServiceName>{nameOf(serviceId)}</ServiceName> },
              { name: texts.note, cell: ({ note, url }) => <UserText>{[note, url].filter(Boolean).join(' ')}</UserText> },
              { name: texts.by, cell: ({ requestedBy }) => <UserText most={80}>{requestedBy}</UserText> },
              { name: texts.answer, cell: (request) => <AnswerOf request={request} /> },
              { name: texts.since, cell: ({ createdOn }) => <When at={createdOn} /> },
            ]}
          />
        )}
      </Answer>
      {isAsking && (
        <Ask services={services.filter(({ parentId, category }) => parentId === null && category === 'Banking')} onClose={asking.close} />
      )}
    </Section>
  )
}

function Ask({ services, onClose }: { services: readonly Service[]; onClose(): void }) {
  useFocusBack()
  const texts = useTexts(catalogueTexts)
  const localName = useServiceName()
  const ask = useChange<Record<string, string>>(
    (body) => ({ method: 'POST', path: '/normalized-data/institution-requests', body }),
    onClose,
  )
  const save = (values: FormData) => {
    const given = [...values].map(([name, value]) => [name, String(value).trim()])
    const body: Record<string, string> = Object.fromEntries(given)
    ask.mutate({ ...body, country: (body.country ?? '').toUpperCase() })
  }
  return (
    <Modal opened onClose={onClose} title={texts.ask}>
      <SaveForm change={ask} onSave={save} onCancel={onClose} label={texts.ask}>
        <NativeSelect
          name="serviceId"
          label={texts.aggregator}
          data={services.map(({ id, name }) => ({ value: id, label: localName(name) }))}
          mb="sm"
        />
        <TextInput name="name" label={texts.institution} maxLength={200} required mb="sm" />
        <TextInput name="country" label={texts.country} defaultValue="CA" pattern="[A-Za-z]{2}" required mb="sm" />
        <TextInput name="url" label={texts.website} maxLength={500} mb="sm" />
        <Textarea name="note" label={texts.note} maxLength={1000} mb="sm" />
      </SaveForm>
    </Modal>
  )
}
