# The parts of Homebrew that the formula uses, to install it from a folder and run its test.
require "socket"
require "pathname"
require "tmpdir"
require "open3"

module Utils
  def self.safe_popen_read(*command)
    out, status = Open3.capture2(*command.map(&:to_s))
    raise "#{command.join(" ")} failed" unless status.success?
    out
  end
end

class Formula
  class << self
    attr_reader :service_block, :test_block, :urls
    def desc(_text) = nil
    def homepage(_url) = nil
    def license(_name) = nil
    def version(text = nil) = text ? @version = text : @version
    def url(address) = (@urls ||= []) << address
    def sha256(sum) = sum.match?(/\A\h{64}\z/) || raise("not a sum: #{sum}")
    %i[on_macos on_linux on_arm on_intel].each { |name| define_method(name) { |&block| block.call } }
    def service(&block) = @service_block = block
    def test(&block) = @test_block = block
  end

  attr_reader :bin, :man1, :testpath, :completions
  def initialize(prefix)
    @bin = Pathname(prefix)/"bin"
    @man1 = Pathname(prefix)/"share/man/man1"
    @testpath = Pathname(Dir.mktmpdir)
    @man1.mkpath
    @completions = []
    folder = @bin
    @bin.define_singleton_method(:install) { |name| raise "no #{name}" unless (folder/name).executable? }
  end

  def version = self.class.version
  def shell_output(command) = Open3.capture2(command).then { |out, status| status.success? ? out : raise("#{command} failed: #{out}") }
  def assert_match(expected, actual) = actual.include?(expected) || raise("#{actual} does not have #{expected}")
  def system(*command) = super(*command.map(&:to_s)) || raise("#{command.join(" ")} failed")
  def spawn(*command) = super(*command.map(&:to_s), out: File::NULL)
  # Systems use higher ports for outgoing connections.
  def free_port
    TCPServer.open("127.0.0.1", port = rand(16_000...32_000)) { port }
  rescue Errno::EADDRINUSE
    retry
  end

  def generate_completions_from_executable(*command)
    %w[bash zsh fish].each { |shell| @completions << Utils.safe_popen_read(*command, shell) }
  end
end

# Records the settings of a service block.
class Service
  attr_reader :said
  def initialize = @said = []
  def method_missing(name, *values) = values.empty? ? Pathname("/opt") : @said << name
  def respond_to_missing?(*) = true
end

formula_path, prefix = ARGV
load formula_path
service = Service.new
service.instance_eval(&Mailkeep.service_block)
raise "the service runs nothing" unless service.said.include?(:run)
formula = Mailkeep.new(prefix)
formula.install
raise "no manual page" unless (formula.man1/"mailkeep.1").read.start_with?(".TH MAILKEEP")
raise "no completions" unless formula.completions.size == 3
formula.instance_eval(&Mailkeep.test_block)
puts "#{Mailkeep.urls.size} downloads, test passed"
