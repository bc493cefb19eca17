import { BadContent } from '../bounds';

/**
 * Reads FlatBuffers, the form of Arrow's metadata, and believes no offset and no length: Arrow's own reader takes any, and a damaged
 * one can keep it busy for hours. A table is known by its place, and a field of it by its slot in the table's index.
 *
 * Offsets lead forward only, so nothing contains itself; what contents claim together is bounded, so sharing cannot multiply them.
 */
export class FlatBuffer {
  readonly #view: DataView;
  #left: number;

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#left = bytes.byteLength * MAX_SHARING;
  }

  /** @throws BadContent when there is no whole table at the start's offset */
  root(): number {
    return this.#tableAt(this.#follow(0));
  }

  /** The place of a field, if the table has it. */
  field(table: number, slot: number): number | undefined {
    const index = table - this.#int32(table);
    if (slot >= this.#int16(index)) return undefined;
    const offset = this.#int16(index + slot);
    if (offset === 0) return undefined;
    this.#require(table + offset, 1);
    return table + offset;
  }

  byte(table: number, slot: number): number {
    const at = this.field(table, slot);
    return at === undefined ? 0 : this.#view.getUint8(at);
  }

  long(table: number, slot: number): number {
    const at = this.field(table, slot);
    return at === undefined ? 0 : this.longAt(at);
  }

  longAt(at: number): number {
    this.#require(at, 8);
    return Number(this.#view.getBigInt64(at, true));
  }

  table(table: number, slot: number): number | undefined {
    const at = this.field(table, slot);
    return at === undefined ? undefined : this.#tableAt(this.#follow(at));
  }

  tables(table: number, slot: number): number[] {
    return this.vector(table, slot, OFFSET_BYTES).map((at) => this.#tableAt(this.#follow(at)));
  }

  /** The places of a vector's entries. */
  vector(table: number, slot: number, entryBytes: number): number[] {
    const { start, count } = this.#vector(table, slot, entryBytes);
    return Array.from({ length: count }, (_, index) => start + index * entryBytes);
  }

  /** @throws BadContent when the text is not within the bytes */
  requireText(table: number, slot: number): void {
    this.#vector(table, slot, 1);
  }

  #vector(table: number, slot: number, entryBytes: number): { start: number; count: number } {
    const at = this.field(table, slot);
    if (at === undefined) return { start: 0, count: 0 };
    const place = this.#follow(at);
    const count = this.#int32(place);
    if (count < 0) throw DAMAGED;
    const start = place + OFFSET_BYTES;
    this.#require(start, count * entryBytes);
    this.#claim(OFFSET_BYTES + count * entryBytes);
    return { start, count };
  }

  #tableAt(at: number): number {
    const index = at - this.#int32(at);
    const indexBytes = this.#int16(index);
    if (indexBytes < OFFSET_BYTES) throw DAMAGED;
    this.#require(index, indexBytes);
    this.#claim(OFFSET_BYTES);
    return at;
  }

  #follow(at: number): number {
    const offset = this.#int32(at);
    if (offset < OFFSET_BYTES) throw DAMAGED;
    return at + offset;
  }

  #int16(at: number): number {
    this.#require(at, 2);
    return this.#view.getInt16(at, true);
  }

  #int32(at: number): number {
    this.#require(at, OFFSET_BYTES);
    return this.#view.getInt32(at, true);
  }

  #require(at: number, count: number): void {
    if (at < 0 || at + count > this.#view.byteLength) throw DAMAGED;
  }

  #claim(count: number): void {
    this.#left -= count;
    if (this.#left < 0) throw DAMAGED;
  }
}

const OFFSET_BYTES = 4;
/** How often all bytes may be used. Writers may let equal texts share their bytes. */
const MAX_SHARING = 4;
const DAMAGED = new BadContent('an offset or a length in its metadata leads outside the metadata');
