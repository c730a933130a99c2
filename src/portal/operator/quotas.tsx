import { Button, Modal, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { type Quota, useOperatorChange, useOperatorRead } from '../api/operator.ts'
import { useQuotaColumns } from '../pages/usage/quota-columns.tsx'
import { Answer } from '../parts/answers/answer.tsx'
import { useFocusBack } from '../parts/dialogs/dialog.ts'
import { SaveForm } from '../parts/forms/save-form.tsx'
import { Section } from '../parts/layout/page.tsx'
import { Grid } from '../parts/tables/grid.tsx'
import { useTexts } from '../texts/language/language.tsx'
import { operatorTexts } from '../texts/pages/operator.ts'

/** What the instance may have, and how much of it is used. */
export function Quotas({ instanceId }: { instanceId: string }) {
  const texts = useTexts(operatorTexts)
  const columns = useQuotaColumns()
  const quotas = useOperatorRead<Quota[]>(`/instances/${instanceId}/quotas`)
  const [edited, setEdited] = useState<Quota | null>(null)
  return (
    <Section title={texts.quotas}>
      <Answer read={quotas} lines={8}>
        {(rows) => (
          <Grid
            label={texts.quotas}
            rows={rows}
            keyOf={({ name }) => name}
            empty={{ title: texts.none }}
            columns={[
              ...columns,
              {
                name: texts.change,
                isAction: true,
                cell: (quota) => (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={texts.changeOne(texts.quotaNames[quota.name])}
                    onClick={() => setEdited(quota)}
                  >
                    {texts.change}
                  </Button>
                ),
              },
            ]}
          />
        )}
      </Answer>
      {edited !== null && <QuotaForm instanceId={instanceId} quota={edited} onClose={() => setEdited(null)} />}
    </Section>
  )
}

function QuotaForm({ instanceId, quota, onClose }: { instanceId: string; quota: Quota; onClose(): void }) {
  const texts = useTexts(operatorTexts)
  useFocusBack()
  const change = useOperatorChange<number | null>(
    (bound) => ({ method: 'PUT', path: `/instances/${instanceId}/quotas`, body: { [quota.name]: bound } }),
    onClose,
  )
  const save = (values: FormData) => {
    const text = String(values.get('bound')).trim()
    change.mutate(text === '' ? null : Number(text))
  }
  return (
    <Modal opened onClose={onClose} title={texts.quotaNames[quota.name]}>
      <SaveForm change={change} onSave={save} onCancel={onClose} lead={<Text size="sm">{texts.limitLead}</Text>}>
        <TextInput
          name="bound"
          label={texts.limit}
          inputMode="numeric"
          pattern="[0-9]{0,15}"
          defaultValue={quota.isDefault ? '' : (quota.bound ?? '')}
          mt="sm"
          data-autofocus
        />
      </SaveForm>
    </Modal>
  )
}
