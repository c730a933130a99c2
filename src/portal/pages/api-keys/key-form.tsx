import { Checkbox, Modal, NativeSelect, TextInput } from '@mantine/core'
import { API_KEY_SCOPES, type IssuedApiKey } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { useFocusBack } from '../../parts/dialogs/dialog.ts'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { apiKeyTexts } from '../../texts/pages/api-keys.ts'
import { common } from '../../texts/pages/common.ts'

const LIVES_DAYS = [30, 90, 365]
const USUAL_DAYS = 365

interface NewKey {
  name: string
  scopes: string[]
  expiresInDays: number | null
}

/** Form for a new key. */
export function KeyForm({ onClose, onIssued }: { onClose(): void; onIssued(issued: IssuedApiKey): void }) {
  useFocusBack()
  const texts = useTexts(apiKeyTexts)
  const words = useTexts(common)
  const create = useChange<NewKey, IssuedApiKey>((body) => ({ method: 'POST', path: '/api-keys', body }), onIssued)
  const save = (given: FormData) => {
    const days = String(given.get('expiresInDays'))
    create.mutate({
      name: String(given.get('name')).trim(),
      scopes: given.getAll('scopes').map(String),
      expiresInDays: days === '' ? null : Number(days),
    })
  }
  return (
    <Modal opened onClose={onClose} title={texts.add}>
      <SaveForm change={create} onSave={save} onCancel={onClose} label={words.create}>
        <TextInput name="name" label={texts.name} description={texts.nameHint} maxLength={100} required data-autofocus mb="sm" />
        <Checkbox.Group label={texts.scopes} description={texts.scopesHint} mb="sm">
          {API_KEY_SCOPES.map((scope) => (
            <Checkbox key={scope} name="scopes" value={scope} label={texts.groups[scope]} mt="xs" />
          ))}
        </Checkbox.Group>
        <NativeSelect
          name="expiresInDays"
          label={texts.life}
          defaultValue={String(USUAL_DAYS)}
          data={[...LIVES_DAYS.map((days) => ({ value: String(days), label: texts.days(days) })), { value: '', label: texts.never }]}
          mb="sm"
        />
      </SaveForm>
    </Modal>
  )
}
