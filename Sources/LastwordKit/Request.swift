import FoundationEssentials
import Upstreams

/// A request or notification, for a handler that reads and writes JSON text itself.
public struct Request: Sendable {
  /// The method's name.
  public let method: String

  /// The params as they stand in the message, as JSON text in UTF-8: an object or an array; `null` if there are none.
  public let params: [UInt8]

  private let hasParams: Bool
  private let texts: AnswerText
  private let givePiece: @Sendable ([UInt8]) -> Void

  init(_ request: HandlerRequest, _ texts: AnswerText) {
    self.texts = texts
    givePiece = request.givePiece
    method = String(decoding: request.method, as: UTF8.self)
    hasParams = !request.params.isEmpty
    params = hasParams ? request.params : AnswerText.null
  }

  /// Returns a value that sends parts of the answer before the whole answer.
  ///
  /// - Parameter type: The type of each piece.
  public func pieces<Piece>(of type: Piece.Type = Piece.self) -> Pieces<Piece> { Pieces(texts, givePiece) }

  /// Decodes the params. Without params it decodes `{}`, or returns nil if `Params` is an optional.
  ///
  /// - Parameter type: The type to decode.
  /// - Throws: An ``RPCFailure`` with code -32602 that says where and why. A handler that lets it pass answers with it.
  public func decode<Params: Decodable>(_ type: Params.Type = Params.self) throws(RPCFailure) -> Params {
    let isOptional = type is any ExpressibleByNilLiteral.Type
    let text = hasParams || isOptional ? params : Array("{}".utf8)
    do {
      return try JSONDecoder().decode(type, from: Data(text))
    } catch let error as DecodingError {
      throw .invalidParams(error.complaint)
    } catch {
      throw .invalidParams("params cannot be read")
    }
  }
}

/// The params of a method that needs none: all that a client sends is ignored.
public struct NoParams: Decodable, Sendable {
  /// Reads nothing.
  public init(from decoder: any Decoder) {}
}
