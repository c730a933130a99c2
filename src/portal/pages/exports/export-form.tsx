import { Modal, NativeSelect } from '@mantine/core'
import { useChange } from '../../api/reads.ts'
import { useFocusBack } from '../../parts/dialogs/dialog.ts'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { exportTexts } from '../../texts/pages/exports.ts'

const KINDS = ['Banking/Accounts', 'Banking/Transactions', 'Accounting/Accounts', 'Accounting/Transactions'] as const
const FORMATS = ['csv', 'ndjson', 'parquet'] as const

/** Form that requests an export of all companies. */
export function ExportForm({ onClose }: { onClose(): void }) {
  useFocusBack()
  const texts = useTexts(exportTexts)
  const request = useChange<object>((body) => ({ method: 'POST', path: '/normalized-data/exports', body }), onClose)
  const save = (given: FormData) => {
    const [category, entity] = String(given.get('kind')).split('/')
    request.mutate({ companyId: null, category, entity, format: String(given.get('format')) })
  }
  const nameOf = (kind: (typeof KINDS)[number]) => {
    const [category, entity] = kind.split('/') as ['Banking' | 'Accounting', 'Accounts' | 'Transactions']
    return texts.kinds[`${category}${entity}`]
  }
  return (
    <Modal opened onClose={onClose} title={texts.request}>
      <SaveForm change={request} onSave={save} onCancel={onClose} label={texts.requestNow}>
        <NativeSelect
          name="kind"
          label={texts.what}
          description={texts.allCompanies}
          data={KINDS.map((value) => ({ value, label: nameOf(value) }))}
          data-autofocus
          mb="sm"
        />
        <NativeSelect name="format" label={texts.format} data={FORMATS.map((value) => ({ value, label: texts.formats[value] }))} mb="sm" />
      </SaveForm>
    </Modal>
  )
}
