import { Modal, NativeSelect, Text } from '@mantine/core'
import type { ApiKey, IssuedApiKey } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { useFocusBack } from '../../parts/dialogs/dialog.ts'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { apiKeyTexts } from '../../texts/pages/api-keys.ts'

const OVERLAPS_HOURS = [1, 24, 168]
const USUAL_HOURS = 24

/** Form that replaces a key. */
export function RotateForm({ of: key, onClose, onIssued }: { of: ApiKey; onClose(): void; onIssued(issued: IssuedApiKey): void }) {
  useFocusBack()
  const texts = useTexts(apiKeyTexts)
  const rotate = useChange<number, IssuedApiKey>(
    (overlapHours) => ({ method: 'POST', path: `/api-keys/${key.id}/rotate`, body: { overlapHours } }),
    onIssued,
  )
  const overlaps = OVERLAPS_HOURS.map((hours) => ({ value: String(hours), label: texts.hours(hours) }))
  return (
    <Modal opened onClose={onClose} title={texts.rotateOne(key.name.slice(0, 80))}>
      <SaveForm
        change={rotate}
        onSave={(given) => rotate.mutate(Number(given.get('overlapHours')))}
        onCancel={onClose}
        label={texts.rotate}
        lead={
          <Text size="sm" mb="sm">
            {texts.rotateLead}
          </Text>
        }
      >
        <NativeSelect
          name="overlapHours"
          label={texts.overlap}
          defaultValue={String(USUAL_HOURS)}
          data={[...overlaps, { value: '0', label: texts.atOnce }]}
          mb="sm"
        />
      </SaveForm>
    </Modal>
  )
}
