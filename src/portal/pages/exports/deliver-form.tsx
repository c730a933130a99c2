import { Modal, NativeSelect, Text } from '@mantine/core'
import type { Export, ExportDestination } from '../../api/generated/types.ts'
import { useChange } from '../../api/reads.ts'
import { useFocusBack } from '../../parts/dialogs/dialog.ts'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { exportTexts } from '../../texts/pages/exports.ts'

interface DeliverFormProps {
  of: Export
  destinations: readonly ExportDestination[]
  onClose(): void
}

/** Form that delivers a file. */
export function DeliverForm({ of: { id, delivery }, destinations, onClose }: DeliverFormProps) {
  useFocusBack()
  const texts = useTexts(exportTexts)
  const deliver = useChange<string>(
    (destinationId) => ({ method: 'POST', path: `/normalized-data/exports/${id}/deliver`, body: { destinationId } }),
    onClose,
  )
  const choices = destinations.filter(({ kind }) => kind !== 'postgres')
  return (
    <Modal opened onClose={onClose} title={texts.deliver}>
      <SaveForm
        change={deliver}
        onSave={(given) => deliver.mutate(String(given.get('destinationId')))}
        onCancel={onClose}
        label={texts.deliver}
      >
        {choices.length === 0 ? (
          <Text>{texts.noDestinationHint}</Text>
        ) : (
          <NativeSelect
            name="destinationId"
            label={texts.destination}
            defaultValue={delivery?.destinationId ?? choices[0]?.id ?? ''}
            data={choices.map(({ id: value, name }) => ({ value, label: name.slice(0, 80) }))}
            data-autofocus
            mb="sm"
          />
        )}
      </SaveForm>
    </Modal>
  )
}
